/**
 * The fast path of a replicated limiter: decides in one step when the only policy is a fixed window
 * without penalties, this replica counts in the key's newest window, and the sum of the other
 * replicas' counts in the record is valid.
 *
 * It must decide exactly as the engine does. It is separate from `FastWindowCheck` so that each
 * stays small enough for the JIT compiler to compile as one function. New counts have to be
 * published, so this path also reports how urgent that is.
 */

import { Decision } from "../../base/decision.ts";
import type { FixedWindowPolicy } from "../../policies/fixed-window.ts";
import { blankVerdict, type Verdict } from "../../policies/judge.ts";
import type { UnsentCounts } from "../delta/unsent-counts.ts";
import { NO_REPLICA, type Replicas, SELF } from "../replicas/replicas.ts";
import {
  CHAIN,
  HITS,
  LEAD,
  OPENED_LOW,
  OTHERS,
  OTHERS_UNTIL,
  WINDOW,
} from "../shapes/window/window-record.ts";
import type { WindowShape } from "../shapes/window/window-shape.ts";
import type { Store } from "../store.ts";
import { EPOCH_MASK, FRAME, GENERATION, REFUSED, STATE } from "../table/entry.ts";
import { recordId } from "../table/record-id.ts";
import type { RecordPool } from "../table/record-pool.ts";
import { ticketOf, ticketTie } from "../table/ticket.ts";

const TWO_32 = 2 ** 32;
/** Limits up to this one, and the counts they allow, fit a word of a record. */
export const LIMIT_MAX: number = 2 ** 30;

/** What the fast path needs to know of the cluster. */
export interface Company {
  readonly replicas: Replicas;
  /** `separation` is null while this replica receives the counts of all others. */
  readonly partitionDetector: { readonly separation: object | null };
}

export class FastReplicatedCheck {
  readonly #store: Store;
  readonly #records: RecordPool;
  readonly #unsent: UnsentCounts;
  readonly #window: WindowShape;
  readonly #partitionDetector: Company["partitionDetector"];
  readonly #replicas: Replicas;
  readonly #allowed: Verdict;
  readonly #refused: Verdict;
  readonly #countsRefused: boolean;

  constructor(
    store: Store,
    unsent: UnsentCounts,
    window: WindowShape,
    policy: FixedWindowPolicy,
    company: Company,
  ) {
    this.#store = store;
    this.#records = store.records;
    this.#unsent = unsent;
    this.#window = window;
    this.#partitionDetector = company.partitionDetector;
    this.#replicas = company.replicas;
    this.#allowed = { ...blankVerdict(policy.name), limit: policy.limit };
    this.#refused = { ...this.#allowed, allowed: false };
    this.#countsRefused = policy.countRefused;
  }

  /**
   * Checks and counts at the store's time; returns null when the engine has to decide. Needs a cost
   * above 0 and the key's record at hand.
   */
  check(low: number, cost: number): Decision | null {
    if (this.#partitionDetector.separation !== null) return null;
    const store = this.#store;
    const window = this.#window;
    const { id, chunk, start } = this.#records;
    const at = start + window.base;
    const state = chunk[start + STATE]!;
    if ((state & ~(REFUSED | EPOCH_MASK)) !== store.ownState) return null;
    if (chunk[at + LEAD] !== 0 || window.refunds.size !== 0) return null;
    const opened = chunk[at + WINDOW]!;
    const openedLow = chunk[at + OPENED_LOW]!;
    const opener = opened & NO_REPLICA;
    if (opener === NO_REPLICA) return null;
    const { now } = store;
    const offsetMs = opener === SELF ? 0 : this.#replicas.offsetMs(opener);
    const endsAt = (opened >>> 16) * TWO_32 + (openedLow >>> 0) + offsetMs + window.windowMs;
    const resetMs = endsAt - now;
    if (resetMs <= 0) return null;
    const own = chunk[at + HITS]!;
    let held = own;
    if (chunk[at + CHAIN] !== 0) {
      if (((now - chunk[at + OTHERS_UNTIL]!) | 0) >= 0) return null;
      held += chunk[at + OTHERS]!;
    }

    const allowed = this.#allowed;
    const { limit } = allowed;
    const used = held + cost;
    if (used <= limit) {
      chunk[at + HITS] = own + cost;
      const unsent = this.#unsent;
      if ((state & REFUSED) !== 0 || !unsent.has(id, chunk[start + FRAME]!))
        store.changed(recordId(id));
      unsent.counted(chunk[start + FRAME]!, cost, limit, used, now);
      allowed.used = used;
      allowed.remaining = limit - used;
      allowed.resetMs = resetMs;
      const ticket = ticketOf(chunk[start + GENERATION]!, opened, openedLow);
      const tie = ticketTie(low, state) + store.resetsTie;
      return new Decision(allowed, now, null, (ticket + tie) | 0);
    }
    if (held <= 0 || held > LIMIT_MAX || this.#countsRefused) return null;
    // With several windows in the chain, the refusal may end before the newest window does.
    if (chunk[at + CHAIN] !== 0 && chunk[at + OTHERS_UNTIL] !== (endsAt | 0)) return null;
    if ((state & REFUSED) === 0) store.setRefused(recordId(id));
    const refused = this.#refused;
    refused.used = held;
    refused.remaining = held < limit ? limit - held : 0;
    refused.resetMs = resetMs;
    refused.retryAfterMs = cost > limit ? Number.POSITIVE_INFINITY : resetMs;
    return new Decision(refused, now, "limit", 0);
  }
}
