/**
 * Follows a response of Node to its end.
 *
 * Node emits several events for one end. If the response has ended before this listens, the end is
 * reported at once. A client that hangs up ends the response, but its handler continues. That end
 * is reported when the handler is done, or when the wait for it is over.
 */

import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { EndListener, FollowedEnd } from "../framework.ts";
import {
  awaitHandler,
  type EndingResponse,
  isClosedHere,
  isDestroyedHere,
  isOver,
  isUpgraded,
  whenClosed,
} from "./hang-up.ts";

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
