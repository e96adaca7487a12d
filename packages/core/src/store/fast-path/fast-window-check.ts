/**
 * The fast path of a local limiter: decides in one step when the only policy is a fixed window
 * without penalties, this replica opened the key's window, and only own hits are known for it.
 *
 * Every other check goes to the engine, which must decide the same for these keys. The rule is
 * repeated here on the words of the record, because the JIT compiler turns one small function into
 * code that is twice as fast as a chain of calls.
 */

import { Decision } from "../../base/decision.ts";
import { type FixedWindowPolicy, hasPenalties } from "../../policies/fixed-window.ts";
import { blankVerdict, type Verdict } from "../../policies/judge.ts";
import type { Policy } from "../../policies/policy.ts";
import { SELF } from "../replicas/replicas.ts";
import { HITS, OPENED_LOW, WINDOW } from "../shapes/window/window-record.ts";
import { WindowShape } from "../shapes/window/window-shape.ts";
import type { Store } from "../store.ts";
import { EPOCH_MASK, FRAME, GENERATION, REFUSED, STATE } from "../table/entry.ts";
import { recordId } from "../table/record-id.ts";
import type { RecordPool } from "../table/record-pool.ts";
import { ticketOf, ticketTie } from "../table/ticket.ts";
import { type Company, FastReplicatedCheck, LIMIT_MAX } from "./fast-replicated-check.ts";

export class FastWindowCheck {
  readonly #store: Store;
  readonly #records: RecordPool;
  readonly #window: WindowShape;
  readonly #allowed: Verdict;
  readonly #refused: Verdict;
  readonly #countsRefused: boolean;

  constructor(store: Store, window: WindowShape, policy: FixedWindowPolicy) {
    this.#store = store;
    this.#records = store.records;
    this.#window = window;
    this.#allowed = { ...blankVerdict(policy.name), limit: policy.limit };
    this.#refused = { ...this.#allowed, allowed: false };
    this.#countsRefused = policy.countRefused;
  }

  /**
   * Checks and counts at the store's time; returns null when the engine has to decide. Needs a cost
   * above 0 and the key's record at hand.
   */
  check(low: number, cost: number): Decision | null {
    const store = this.#store;
    const window = this.#window;
    const { chunk, start } = this.#records;
    const at = start + window.base;
    const usual = store.ownState;
    const state = chunk[start + STATE]!;
    if ((state & ~(REFUSED | EPOCH_MASK)) !== usual || chunk[at + WINDOW] !== SELF) return null;
    const { now } = store;
    const opened = chunk[at + OPENED_LOW]!;
    const resetMs = (opened >>> 0) + window.windowMs - now;
    if (resetMs <= 0 || window.refunds.size !== 0) return null;

    const held = chunk[at + HITS]!;
    const used = held + cost;
    const allowed = this.#allowed;
    const { limit } = allowed;
    if (used <= limit) {
      chunk[at + HITS] = used;
      chunk[start + FRAME] = store.frame;
      if ((state & REFUSED) !== 0) store.changed(recordId(this.#records.id));
      allowed.used = used;
      allowed.remaining = limit - used;
      allowed.resetMs = resetMs;
      const ticket = ticketOf(chunk[start + GENERATION]!, SELF, opened) + ticketTie(low, state);
      return new Decision(allowed, now, null, (ticket + store.resetsTie) | 0);
    }
    if (held > LIMIT_MAX || this.#countsRefused) return null;
    if ((state & REFUSED) === 0) store.setRefused(recordId(this.#records.id));
    const refused = this.#refused;
    refused.used = held;
    refused.remaining = held < limit ? limit - held : 0;
    refused.resetMs = resetMs;
    refused.retryAfterMs = cost > limit ? Number.POSITIVE_INFINITY : resetMs;
    return new Decision(refused, now, "limit", 0);
  }
}

/** The fast path for a limiter's policies, local or replicated; undefined when they have none. */
export function fastCheck(
  store: Store,
  policies: readonly Policy[],
  company: Company | null,
): FastWindowCheck | FastReplicatedCheck | null {
  const [policy] = policies;
  const [window] = store.shapes;
  if (policies.length !== 1 || policy?.kind !== "fixedWindow") return null;
  if (hasPenalties(policy) || policy.limit > LIMIT_MAX) return null;
  if (!(window instanceof WindowShape)) return null;
  if (!window.shared) return new FastWindowCheck(store, window, policy);
  const { unsent } = store;
  if (company === null || unsent === null) return null;
  return new FastReplicatedCheck(store, unsent, window, policy, company);
}
