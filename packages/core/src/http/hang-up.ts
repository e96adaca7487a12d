/**
 * What can be known of a response whose connection is gone: who closed it, and when its handler is done.
 *
 * Node emits no event for a response that is ended after its client has hung up, so `end` is wrapped then, and
 * never before: a response that ends as usual is not touched.
 */

import type { Connection, ResponseEvents } from "./framework.ts";

/** So many handlers of clients that have hung up are waited for at a time in a process. */
const AWAITED_MAX = 65_536;
let awaited = 0;

/** Whether a response has ended or can send nothing any more, so that its events may be over. */
export function isOver(response: ResponseEvents): boolean {
  const { writableFinished, destroyed, stream, socket, req } = response;
  if (writableFinished === true || destroyed === true || stream?.destroyed === true) return true;
  return socket === null && req?.socket?.destroyed === true;
}

/** Whether the connection was handed over, as to a WebSocket: when it closes, all is over. */
export function isUpgraded({ req }: ResponseEvents): boolean {
  return req?.upgrade === true;
}

/**
 * Whether the application has closed the connection of a response that it did not end.
 *
 * A client that goes away ends the socket's readable side or leaves an error on it, and so does one whose
 * request cannot be read. Where the server closes idle sockets, and in HTTP/2, this cannot be told.
 */
export function isClosedHere({ stream, socket, errored }: ResponseEvents): boolean {
  if (stream !== undefined || socket === undefined || socket === null) return false;
  if (socket.readableEnded !== false || (socket.timeout ?? 0) > 0) return false;
  return (socket.errored ?? null) === null || socket.errored === errored;
}

/**
 * Waits until the application is done with a response whose client has hung up: until it has called `end`, or
 * what it streamed has been unpiped, or so much time has passed.
 *
 * @param done is called once, by what is returned at the latest
 */
export function awaitHandler(
  response: ResponseEvents,
  forMs: number,
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
  const timer = setTimeout(finish, forMs);
  timer.unref();
  response.on("unpipe", finish);
  const { end } = response;
  response.end = function ended(this: ResponseEvents, ...rest: never[]): unknown {
    try {
      return Reflect.apply(end, this, rest);
    } finally {
      finish();
    }
  };
  return finish;
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
