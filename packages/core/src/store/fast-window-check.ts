/**
 * The fast path of a limiter: decides in one step under three conditions. The only policy is a
 * fixed window without penalties. This replica counts in the key's newest window. And the sum of
 * the other replicas' counts in the record is valid.
 *
 * Every other check goes to the engine, which must decide the same for these keys. The rule is
 * repeated here on the words of the record. The JIT compiler turns one small function into code
 * that is twice as fast as a chain of calls. New counts of a replicated limiter have to be
 * published, so this path also reports how urgent that is.
 */

import { Decision } from "../base/decision.ts";
import { type FixedWindowPolicy, hasPenalties } from "../policies/fixed-window.ts";
import { blankVerdict, isNearlyFull, type Verdict } from "../policies/judge.ts";
import type { Policy } from "../policies/policy.ts";
import { NO_REPLICA, type Replicas, SELF } from "./replicas/replicas.ts";
import {
  CHAIN,
  HITS,
  LEAD,
  OPENED_LOW,
  OTHERS,
  OTHERS_UNTIL,
  WINDOW,
} from "./shapes/window/window-record.ts";
import { WindowShape } from "./shapes/window/window-shape.ts";
import type { Store } from "./store.ts";
import { EPOCH_MASK, FRAME, GENERATION, REFUSED, STATE } from "./table/entry.ts";
import { recordId } from "./table/record-id.ts";
import type { RecordPool } from "./table/record-pool.ts";
import { ticketOf, ticketTie } from "./table/ticket.ts";

const TWO_32 = 2 ** 32;
/** Limits up to this one, and the counts they allow, fit a word of a record. */
const LIMIT_MAX = 2 ** 30;

/** What the fast path needs to know of the cluster. */
export interface Company {
  readonly replicas: Replicas;
  /** Whether hits count that other replicas have counted and this one has not received. */
  readonly anticipates: boolean;
  /** `separation` is null while this replica receives the counts of all others. */
  readonly partitionDetector: { readonly separation: object | null };
}

export class FastWindowCheck {
  readonly #store: Store;
  readonly #records: RecordPool;
  readonly #window: WindowShape;
  /** Null in a limiter that is not replicated. */
  readonly #company: Company | null;
  readonly #unsent: Store["unsent"];
  readonly #allowed: Verdict;
  readonly #refused: Verdict;
  readonly #countsRefused: boolean;

  private constructor(
    store: Store,
    window: WindowShape,
    policy: FixedWindowPolicy,
    company: Company | null,
  ) {
    this.#store = store;
    this.#records = store.records;
    this.#window = window;
    this.#company = company;
    this.#unsent = store.unsent;
    this.#allowed = { ...blankVerdict(policy.name), limit: policy.limit };
    this.#refused = { ...this.#allowed, allowed: false };
    this.#countsRefused = policy.countRefused;
  }

  /** The fast path for a limiter's policies; null when they have none. */
  static of(
    store: Store,
    policies: readonly Policy[],
    company: Company | null,
  ): FastWindowCheck | null {
    const [policy] = policies;
    const [window] = store.shapes;
    if (policies.length !== 1 || policy?.kind !== "fixedWindow") return null;
    if (hasPenalties(policy) || policy.limit > LIMIT_MAX) return null;
    return window instanceof WindowShape
      ? new FastWindowCheck(store, window, policy, company)
      : null;
  }

  /**
   * Checks and counts at the store's time; returns null when the engine has to decide. Needs a cost
   * above 0 and the key's record at hand.
   */
  check(low: number, cost: number): Decision | null {
    const store = this.#store;
    const window = this.#window;
    const company = this.#company;
    const { id, chunk, start } = this.#records;
    const at = start + window.base;
    const state = chunk[start + STATE]!;
    if ((state & ~(REFUSED | EPOCH_MASK)) !== store.ownState) return null;
    if (window.refunds.size !== 0) return null;
    const opened = chunk[at + WINDOW]!;
    const openedLow = chunk[at + OPENED_LOW]!;
    const opener = opened & NO_REPLICA;
    const own = chunk[at + HITS]!;
    let endsAt = (opened >>> 16) * TWO_32 + (openedLow >>> 0) + window.windowMs;
    let held = own;
    let isChained = false;
    if (opener !== SELF) {
      if (company === null || opener === NO_REPLICA) return null;
      endsAt += company.replicas.offsetMs(opener);
    }
    const { now } = store;
    const resetMs = endsAt - now;
    if (resetMs <= 0) return null;
    if (company !== null) {
      if (company.partitionDetector.separation !== null || chunk[at + LEAD] !== 0) return null;
      isChained = chunk[at + CHAIN] !== 0;
      if (isChained) {
        if (((now - chunk[at + OTHERS_UNTIL]!) | 0) >= 0) return null;
        held += chunk[at + OTHERS]!;
      }
    }

    const allowed = this.#allowed;
    const { limit } = allowed;
    const used = held + cost;
    if (used <= limit) {
      if (isChained && company!.anticipates && isNearlyFull(used, limit)) return null;
      chunk[at + HITS] = own + cost;
      const unsent = this.#unsent;
      if (unsent === null) {
        chunk[start + FRAME] = store.frame;
        if ((state & REFUSED) !== 0) store.changed(recordId(id));
      } else {
        if ((state & REFUSED) !== 0 || !unsent.has(id, chunk[start + FRAME]!)) {
          store.changed(recordId(id));
        }
        unsent.counted(chunk[start + FRAME]!, cost, limit, used, now);
      }
      allowed.used = used;
      allowed.remaining = limit - used;
      allowed.resetMs = resetMs;
      const ticket = ticketOf(chunk[start + GENERATION]!, opened, openedLow);
      const tie = ticketTie(low, state) + store.resetsTie;
      return new Decision(allowed, now, null, (ticket + tie) | 0);
    }
    if (held <= 0 || held > LIMIT_MAX || this.#countsRefused) return null;
    // With several windows in the chain, the refusal may end before the newest window does.
    if (isChained && chunk[at + OTHERS_UNTIL] !== (endsAt | 0)) return null;
    if ((state & REFUSED) === 0) store.setRefused(recordId(id));
    const refused = this.#refused;
    refused.used = held;
    refused.remaining = held < limit ? limit - held : 0;
    refused.resetMs = resetMs;
    refused.retryAfterMs = cost > limit ? Number.POSITIVE_INFINITY : resetMs;
    return new Decision(refused, now, "limit", 0);
  }
}
