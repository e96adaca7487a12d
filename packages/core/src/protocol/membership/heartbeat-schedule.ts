/**
 * When this replica sends heartbeats: every second, and sooner as the answer to a hello.
 *
 * A heartbeat is the sign of life. It also carries three things by which other replicas find gaps.
 * They are the number of the last frame, the checksum of the membership, and the replicas that this
 * one does not receive.
 *
 * Answers are spread and spaced, so that many hellos do not make every replica send all the time.
 */

export const HEARTBEAT_MS = 1_000;
/** Silence after which a replica is not alive. */
export const SILENT_MS: number = 3.5 * HEARTBEAT_MS;
/** How long the answer to a hello may wait, so that not all replicas answer at once. */
const HELLO_SPREAD_MS = 20;
/** The least time between two answers, however many hellos arrive. */
const SPACING_MS = 100;

export class HeartbeatSchedule {
  /** When the next one is due. */
  dueAtMs: number;
  readonly #random: () => number;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #isHelloPending = false;

  constructor(nowMs: number, random: () => number) {
    this.#random = random;
    this.dueAtMs = nowMs + Math.floor(random() * HEARTBEAT_MS);
  }

  /** A heartbeat is sent now. */
  sent(nowMs: number): void {
    if (this.#isHelloPending) this.#answeredAtMs = nowMs;
    this.#isHelloPending = false;
    this.dueAtMs = nowMs + HEARTBEAT_MS;
  }

  /** A hello arrived. */
  helloReceived(nowMs: number): void {
    this.#isHelloPending = true;
    const soonest = Math.max(nowMs, this.#answeredAtMs + SPACING_MS);
    const soon = soonest + Math.floor(this.#random() * HELLO_SPREAD_MS);
    this.dueAtMs = Math.min(this.dueAtMs, soon);
  }
}
