/**
 * The initial sync of a joining replica.
 *
 * The replica sends hellos until it has merged the counts of all live replicas and of the dead ones
 * that they report on. It also stops when it knows that it is alone, or when its time is over.
 */

import type { DeadReplicaSync } from "../anti-entropy/dead-replica-sync.ts";
import type { ReplicaContext } from "../replica-context.ts";

/** How long to wait for any other replica before this one takes itself to be alone. */
const ALONE_AFTER_MS = 300;
const HELLO_AGAIN_MS = 250;
/** After so long a replica decides on what it knows, even if the sync is not over. */
const COLD_MS_MAX = 500;
const NEVER = Number.POSITIVE_INFINITY;

export class InitialSync {
  isOver = false;

  readonly #context: ReplicaContext;
  readonly #deadReplicaSync: DeadReplicaSync;
  #connectedAtMs: number = NEVER;
  #helloAtMs: number;
  #isCold = true;
  /** Whether any live replica must have been received by now. */
  #isSure = false;
  readonly #warmAtMs: number;
  /** When it is over at the latest. */
  readonly #endsAtMs: number;

  /** @param timeoutMs how long all of it may take */
  constructor(context: ReplicaContext, deadReplicaSync: DeadReplicaSync, timeoutMs: number) {
    this.#context = context;
    this.#deadReplicaSync = deadReplicaSync;
    const now = context.clock.now();
    this.#helloAtMs = now;
    this.#warmAtMs = now + COLD_MS_MAX;
    this.#endsAtMs = now + timeoutMs;
  }

  /** When to look again. */
  get dueAtMs(): number {
    if (this.isOver) return NEVER;
    const warmAtMs = this.#isCold ? this.#warmAtMs : NEVER;
    const sureAtMs = this.#isSure ? NEVER : this.#connectedAtMs + ALONE_AFTER_MS;
    return Math.min(this.#helloAtMs, warmAtMs, sureAtMs);
  }

  /**
   * Whether this replica has just started, so that counts of other replicas may be about to arrive.
   */
  get isCold(): boolean {
    return this.#isCold && !this.isOver;
  }

  work(now: number): void {
    if (this.isOver) return;
    const { members, sender } = this.#context;
    if (now >= this.#warmAtMs) this.#isCold = false;
    if (!sender.transport.isConnected) this.#connectedAtMs = NEVER;
    else if (this.#connectedAtMs > now) this.#connectedAtMs = now;
    const isSynced =
      this.#deadReplicaSync.isFirstRoundOver &&
      Array.from(members.all()).every(({ isBehind, isAlive }) => !isBehind || !isAlive);
    this.#isSure = now - this.#connectedAtMs >= ALONE_AFTER_MS;
    if ((this.#isSure && isSynced) || now >= this.#endsAtMs) {
      this.end();
    } else if (now >= this.#helloAtMs) {
      this.#helloAtMs = Math.min(now + HELLO_AGAIN_MS, this.#endsAtMs);
      sender.hello();
    }
  }

  end(): void {
    this.isOver = true;
  }
}
