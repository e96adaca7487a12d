/**
 * When this replica says that it is there: every second, sooner when somebody comes and asks who is,
 * and never so often that saying hello over and over would make everybody shout.
 */

export const HEARTBEAT_MS = 1_000;
/** How long a greeting waits for its answer, so that not all answer at once. */
const GREETED_SPREAD_MS = 20;
/** The least time between two answers to greetings, however many say hello. */
const SPACING_MS = 100;

export class HeartbeatSchedule {
  /** When the next one is due. */
  dueAtMs: number;
  readonly #random: () => number;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #isGreeted = false;

  constructor(nowMs: number, random: () => number) {
    this.#random = random;
    this.dueAtMs = nowMs + Math.floor(random() * HEARTBEAT_MS);
  }

  /** One is sent now. */
  sent(nowMs: number): void {
    if (this.#isGreeted) this.#answeredAtMs = nowMs;
    this.#isGreeted = false;
    this.dueAtMs = nowMs + HEARTBEAT_MS;
  }

  /** Somebody has said hello. */
  greeted(nowMs: number): void {
    this.#isGreeted = true;
    const soonest = Math.max(nowMs, this.#answeredAtMs + SPACING_MS);
    const soon = soonest + Math.floor(this.#random() * GREETED_SPREAD_MS);
    this.dueAtMs = Math.min(this.dueAtMs, soon);
  }

  /** Others may have missed something: they see it from the next one. */
  hurry(nowMs: number): void {
    this.dueAtMs = nowMs;
  }
}
