/**
 * What can be known of a response whose connection is gone: which side closed it, and when its handler is done.
 *
 * Node emits no event for a response that is ended or destroyed after its client has hung up, so these two are
 * wrapped then, and never before: a response that ends as usual is not touched. Where the framework shows the
 * promise of a handler, that says more than the streams, which may close while the handler works.
 */

/** The part of Node's `Socket` that says how it was closed. */
export interface Connection {
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  readonly errored?: Error | null | undefined;
  readonly timeout?: number | undefined;
  readonly server?: { listenerCount(event: "clientError"): number } | undefined;
  once(event: "close", listener: () => void): unknown;
}

/** What can be ended, the part of Node's streams. */
export interface Endable {
  /** Whether more can be written into it. */
  readonly writable?: boolean | undefined;
  end?(...rest: never[]): unknown;
  destroy?(...rest: never[]): unknown;
}

/** How a response ends: the part of Node's `ServerResponse`, of HTTP/1 or HTTP/2, that says so. */
export interface EndingResponse extends Endable {
  readonly writableEnded: boolean;
  /** Whether everything has been handed on, so that `finish` may have been emitted already. */
  readonly writableFinished?: boolean | undefined;
  /** Whether nothing can be sent any more, so that `close` may have been emitted already. */
  readonly destroyed?: boolean | undefined;
  /** In HTTP/2 it is the stream that knows. */
  readonly stream?: { readonly destroyed: boolean } | undefined;
  /** The connection, while this response is the one that is sent on it. */
  readonly socket?: Connection | null | undefined;
  /** What the application has destroyed it with: null while it has not. */
  readonly errored?: Error | null | undefined;
  readonly req?:
    | { readonly upgrade?: boolean | undefined; readonly socket?: Connection | null | undefined }
    | undefined;
  end(...rest: never[]): unknown;
  on(event: "finish" | "close", listener: () => void): unknown;
  on(event: "pipe" | "unpipe", listener: (source: Endable) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** So many handlers of clients that have hung up are waited for at a time in a process. */
const AWAITED_MAX = 65_536;
let awaited = 0;

/** Whether a response has ended or can send nothing any more, so that its events may be over. */
export function isOver(response: EndingResponse): boolean {
  const { writableFinished, destroyed, stream, socket, req } = response;
  if (writableFinished === true || destroyed === true || stream?.destroyed === true) return true;
  return socket === null && req?.socket?.destroyed === true;
}

/** Whether the connection was handed over, as to a WebSocket: when it closes, all is over. */
export function isUpgraded({ req }: EndingResponse): boolean {
  return req?.upgrade === true;
}

/**
 * Whether the application has destroyed a response, with an error or none. Node remembers what with, and has
 * null of a response whose connection was closed by anything else. Deno knows nothing of either.
 */
export function isDestroyedHere(response: EndingResponse): boolean {
  const { stream, socket, errored } = response;
  if (stream !== undefined || socket === undefined || socket === null) return false;
  return errored !== null && "errored" in response;
}

/**
 * Whether the application has closed the connection of a response that it did not end, with its client there.
 *
 * A client that goes away ends the socket's readable side or leaves an error on it, and so does one whose
 * request cannot be read. But a listener may close the connection of that one without an error, and a server
 * those that are idle: then only a response that was destroyed itself shows it. In HTTP/2 nothing does.
 */
export function isClosedHere(response: EndingResponse): boolean {
  const { stream, socket, errored } = response;
  if (stream !== undefined || socket === undefined || socket === null) return false;
  if (socket.readableEnded !== false) return false;
  if ((socket.errored ?? null) !== null && socket.errored !== errored) return false;
  if (isDestroyedHere(response)) return true;
  return (socket.timeout ?? 0) === 0 && socket.server?.listenerCount("clientError") === 0;
}

/**
 * Waits until the application is done with a response whose client has hung up: until it has ended or destroyed
 * that, or what it streamed has been unpiped and is at its end, or so much time has passed.
 *
 * @param isShown whether the framework has shown the handler's promise, so that it is not taken for done before
 * unless it has ended the response
 * @param done is called once, by what is returned at the latest
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
    // Into what can still be written the handler goes on to write.
    if (source.writable === true) watch(source);
    else finishUnlessTold();
  });
  afterEnd(response, finish, finishUnlessTold);
  return finish;
}

/** Wraps the two ways to be done with a stream. */
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

const listeners = new WeakMap<Connection, Set<() => void>>();

/**
 * Calls `listener` when a connection closes on which a response waits for its turn: Node emits no event for
 * that response. One listener of ours is on a connection, however many responses wait.
 *
 * @returns what ends it
 */
export function whenClosed(connection: Connection, listener: () => void): () => void {
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
