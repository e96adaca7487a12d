/**
 * Which requests have been counted by the limit of a registration: each counts once, however often the
 * registration's handler is on its way.
 *
 * A route has that handler once. Requests are marked only after the application has taken the handler, to put it
 * elsewhere too.
 */

import type { FastifyRequest } from "fastify";

export class Once {
  readonly #mark = Symbol("tidegate");
  #isHandedOut = false;

  /** The handler may be on the way of a request twice from now on. */
  handOut(): void {
    this.#isHandedOut = true;
  }

  /** Whether a request has been here before; if not, that is noted. */
  has(request: FastifyRequest): boolean {
    if (!this.#isHandedOut) return false;
    const marks = request as unknown as Record<symbol, unknown>;
    if (marks[this.#mark] === true) return true;
    marks[this.#mark] = true;
    return false;
  }
}
