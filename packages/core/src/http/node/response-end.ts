/**
 * Follows a response of Node to its end.
 *
 * Node emits several events for one end. If the response has ended before this listens, the end is
 * reported at once. A client that hangs up ends the response, but its handler continues. That end
 * is reported when the handler is done, or when the wait for it is over.
 *
 * Node emits no event when a response is ended or destroyed after its client has hung up, so `end`
 * and `destroy` are wrapped at that moment. A response that ends normally is not touched. The
 * promise of a handler, where the framework shows it, is more exact than the streams, which may
 * close while the handler works.
 */

import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { EndListener, FollowedEnd } from "../framework.ts";

/** The part of Node's `Socket` that shows how it was closed. */
interface Connection {
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  readonly errored?: Error | null | undefined;
  readonly timeout?: number | undefined;
  readonly server?: { listenerCount(event: "clientError"): number } | undefined;
  once(event: "close", listener: () => void): unknown;
}

/** The part of Node's streams that can be ended. */
interface Endable {
  /** Whether it still accepts data. */
  readonly writable?: boolean | undefined;
  end?(...rest: never[]): unknown;
  destroy?(...rest: never[]): unknown;
}

/** The part of Node's `ServerResponse`, of HTTP/1 or HTTP/2, that shows how it ends. */
interface EndingResponse extends Endable {
  readonly writableEnded: boolean;
  /** Whether all data was handed to the system, so that `finish` may have been emitted already. */
  readonly writableFinished?: boolean | undefined;
  /** Whether nothing more can be sent, so that `close` may have been emitted already. */
  readonly destroyed?: boolean | undefined;
  /** HTTP/2 keeps this state in the stream. */
  readonly stream?: { readonly destroyed: boolean } | undefined;
  /** The connection, while this response is the one that is sent on it. */
  readonly socket?: Connection | null | undefined;
  /** The error with which the application destroyed it; null while it has not. */
  readonly errored?: Error | null | undefined;
  readonly req?:
    | { readonly upgrade?: boolean | undefined; readonly socket?: Connection | null | undefined }
    | undefined;
  end(...rest: never[]): unknown;
  on(event: "finish" | "close", listener: () => void): unknown;
  on(event: "pipe" | "unpipe", listener: (source: Endable) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** The most handlers that a process waits for at a time, after hang-ups. */
const AWAITED_MAX = 65_536;
let awaited = 0;

const listeners = new WeakMap<Connection, Set<() => void>>();

/** Reports to `listener` how a response ends; for the `followEnd` of a `Framework`. */
export function followServerResponse(
  response: ServerResponse | Http2ServerResponse,
  listener: EndListener,
): FollowedEnd {
  const end = new ServerResponseEnd(response, listener);
  end.begin();
  return end;
}

class ServerResponseEnd implements FollowedEnd {
  readonly #response: EndingResponse;
  readonly #listener: EndListener;
  #hasEnded = false;
  /** Whether the framework shows the promise of the handler. */
  #isShown = false;
  #isHandled = false;
  /** Stops waiting for the handler after a hang-up. */
  #stopWaiting: (() => void) | null = null;
  /** Stops watching the connection on which the response waits for its turn. */
  #stopWatching: (() => void) | null = null;

  constructor(response: EndingResponse, listener: EndListener) {
    this.#response = response;
    this.#listener = listener;
  }

  begin(): void {
    const response = this.#response;
    // The client may disconnect before a user's function answers, and no event is emitted twice.
    if (isOver(response)) {
      this.#finished();
      return;
    }
    response.on("finish", () => this.#finished());
    response.on("close", () => this.#closed());
    response.on("error", () => {
      // Writing after a hang-up fails, and the handler may still write more.
      if (response.destroyed === true && !response.writableEnded) return;
      this.#end("failed");
    });
    const connection = response.socket === null ? response.req?.socket : null;
    if (connection) this.#stopWatching = whenClosed(connection, () => this.#closed());
  }

  handling(handler: PromiseLike<unknown>): void {
    this.#isShown = true;
    const handled = (): void => {
      this.#isHandled = true;
      this.#stopWaiting?.();
    };
    handler.then(handled, handled);
  }

  #finished(): void {
    // HTTP/2 reports a finished response even when its client has hung up.
    if (this.#response.writableEnded) this.#end("sent");
    else this.#closed();
  }

  #closed(): void {
    const response = this.#response;
    if (this.#hasEnded || this.#stopWaiting !== null) return;
    if (response.writableEnded) this.#end("lost");
    else if (isClosedHere(response)) this.#end("failed");
    else {
      const waitMs = this.#isDone() ? 0 : this.#listener.waitsForHandlerMs();
      if (waitMs === 0) this.#end("hung up");
      else {
        const isShown = (): boolean => this.#isShown;
        this.#stopWaiting = awaitHandler(response, waitMs, isShown, () => this.#end("hung up"));
      }
    }
  }

  /** Whether there is no handler to wait for, with or without a client. */
  #isDone(): boolean {
    const response = this.#response;
    return this.#isHandled || isUpgraded(response) || (!this.#isShown && isDestroyedHere(response));
  }

  #end(how: Parameters<EndListener["ended"]>[0]): void {
    this.#hasEnded = true;
    this.#stopWatching?.();
    this.#listener.ended(how);
  }
}

/** Whether a response has ended or can send nothing more, so that its events may be over. */
function isOver(response: EndingResponse): boolean {
  const { writableFinished, destroyed, stream, socket, req } = response;
  if (writableFinished === true || destroyed === true || stream?.destroyed === true) return true;
  return socket === null && req?.socket?.destroyed === true;
}

/** Whether the connection was upgraded, for example to a WebSocket: its close is then the end. */
function isUpgraded({ req }: EndingResponse): boolean {
  return req?.upgrade === true;
}

/**
 * Whether the application has destroyed a response, with or without an error. Node stores the
 * error, and has null for a response whose connection was closed in any other way. Deno shows
 * neither.
 */
function isDestroyedHere(response: EndingResponse): boolean {
  const { stream, socket, errored } = response;
  if (stream !== undefined || socket === undefined || socket === null) return false;
  return errored !== null && "errored" in response;
}

/**
 * Whether the application has closed the connection of an unfinished response while its client was
 * connected.
 *
 * A client that disconnects ends the socket's readable side or leaves an error on it, and so does
 * one whose request cannot be parsed. But a listener may close such a connection without an error,
 * and a server closes idle ones: then only a destroyed response shows it. HTTP/2 shows nothing.
 */
function isClosedHere(response: EndingResponse): boolean {
  const { stream, socket, errored } = response;
  if (stream !== undefined || socket === undefined || socket === null) return false;
  if (socket.readableEnded !== false) return false;
  if ((socket.errored ?? null) !== null && socket.errored !== errored) return false;
  if (isDestroyedHere(response)) return true;
  return (socket.timeout ?? 0) === 0 && socket.server?.listenerCount("clientError") === 0;
}

/**
 * Waits until the application is done with a response whose client has hung up: it has ended or
 * destroyed the response, or a stream that it piped has been unpiped and is at its end, or the time
 * is over.
 *
 * @param isShown whether the framework shows the handler's promise; then only the end of the
 * response counts
 *   as done before that promise
 * @param done is called once, at the latest by the returned function
 */
export function awaitHandler(
  response: EndingResponse,
  forMs: number,
  isShown: () => boolean,
  done: () => void,
): () => void {
  if (forMs === 0 || awaited >= AWAITED_MAX) {
    done();
    return done;
  }
  awaited++;
  let isDone = false;
  const finish = (): void => {
    if (isDone) return;
    isDone = true;
    awaited--;
    clearTimeout(timer);
    done();
  };
  const finishUnlessTold = (): void => {
    if (!isShown()) finish();
  };
  const timer = setTimeout(finish, forMs);
  timer.unref();
  const watch = (source: Endable): void => afterEnd(source, finishUnlessTold, finishUnlessTold);
  response.on("pipe", watch);
  response.on("unpipe", (source) => {
    // The handler continues with a stream that still accepts data.
    if (source.writable === true) watch(source);
    else finishUnlessTold();
  });
  afterEnd(response, finish, finishUnlessTold);
  return finish;
}

/** Wraps the two ways to finish a stream. */
function afterEnd(stream: Endable, ended: () => void, destroyed: () => void): void {
  const { end, destroy } = stream;
  if (end !== undefined) stream.end = calling(end, ended);
  if (destroy !== undefined) stream.destroy = calling(destroy, destroyed);
}

function calling(ending: (...given: never[]) => unknown, then: () => void) {
  return function (this: unknown, ...given: never[]): unknown {
    try {
      return Reflect.apply(ending, this, given);
    } finally {
      then();
    }
  };
}

/**
 * Calls `listener` when a connection closes on which a response waits for its turn: Node emits no
 * event for that response. A connection has one listener of ours, however many responses wait.
 *
 * @returns a function that stops this
 */
function whenClosed(connection: Connection, listener: () => void): () => void {
  let waiting = listeners.get(connection);
  if (waiting === undefined) {
    const added = new Set<() => void>();
    connection.once("close", () => {
      for (const each of added) each();
    });
    listeners.set(connection, added);
    waiting = added;
  }
  const all = waiting.add(listener);
  return () => {
    all.delete(listener);
  };
}
