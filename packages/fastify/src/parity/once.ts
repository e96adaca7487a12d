/**
 * Tracks which requests a registration's limit has counted: each counts once, even if the
 * registration's handler runs several times for it.
 *
 * A route runs that handler once. So requests are marked only after the application has taken the
 * handler, to use it elsewhere too.
 */

import type { FastifyRequest } from "fastify";

export class Once {
  readonly #mark = Symbol("tidegate");
  #isHandedOut = false;

  /** From now on, the handler may run twice for a request. */
  handOut(): void {
    this.#isHandedOut = true;
  }

  /** Whether a request has been counted before; if not, it is marked. */
  has(request: FastifyRequest): boolean {
    if (!this.#isHandedOut) return false;
    const marks = request as unknown as Record<symbol, unknown>;
    if (marks[this.#mark] === true) return true;
    marks[this.#mark] = true;
    return false;
  }
}
