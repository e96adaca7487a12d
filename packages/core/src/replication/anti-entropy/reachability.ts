/**
 * Whether another replica hears this one, from what it says of itself: a cut may be one-way, and only
 * who is not heard any more would otherwise not know.
 *
 * Its heartbeats name those that it has fallen behind on. Everybody is named now and then, because
 * frames get lost; who is named in one heartbeat after the other and never with a later frame, although
 * others could have passed it on, is not heard. Who is not named any more after that may just have been
 * forgotten: only an answer to a question says that it is heard again.
 */

import type { Behind } from "../../wire/heartbeat-section.ts";
import { idOf } from "../membership/replica-id.ts";

const BEATS = 3;

export class Reachability {
  #number = -1;
  #beats = 0;
  /** From where on it has been asked for what it counted. */
  #askedSince: number | undefined;

  /** Whether it does not hear this replica. */
  get isLost(): boolean {
    return this.#beats >= BEATS;
  }

  /** Takes note of whom it is behind on. */
  hear(behind: readonly Behind[], self: string): void {
    const number = behind.find(({ low, high }) => idOf(low, high) === self)?.number ?? -1;
    if (number >= 0 || !this.isLost) {
      this.#beats = number >= 0 && number === this.#number ? this.#beats + 1 : 0;
    }
    this.#number = number;
  }

  asked(since: number): void {
    this.#askedSince = since;
  }

  /** It has answered somebody who asked from there on, as hardly anybody else did. */
  answered(since: number): void {
    if (since !== this.#askedSince) return;
    this.#askedSince = undefined;
    this.#beats = 0;
  }
}
