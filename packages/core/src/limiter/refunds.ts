/** Refunds the hits of decisions, while they still count. */

import { Decision } from "../base/decision.ts";
import { TidegateError } from "../base/errors.ts";
import { COUNT_MAX, shown } from "../base/options.ts";
import type { Rule } from "../store/shapes/make-rule.ts";
import type { Store } from "../store/store.ts";
import { NO_RECORD, type RecordId } from "../store/table/record-id.ts";

/** Where the hits of a decision were counted, by policy. */
type Tickets = NonNullable<ReturnType<typeof Decision.ticketsOf>>;

export class Refunds {
  /** Hits whose refund came when they no longer counted. */
  ignored = 0;
  readonly #store: Store;
  readonly #rules: readonly Rule[];

  constructor(store: Store, rules: readonly Rule[]) {
    this.#store = store;
    this.#rules = rules;
  }

  /** Refunds hits of a key's record; 0 for no record. */
  give(id: RecordId, low: number, cost: number, decision: Decision, tickets: Tickets): void {
    const store = this.#store;
    const { now, clusterNow } = store;
    const tie = store.ticketTie(id, low);
    let given = 0;
    this.#rules.forEach((rule, index) => {
      const isOnly = typeof tickets === "number";
      const ticket = isOnly ? tickets : (tickets[2 * index] ?? 0);
      const weight = isOnly ? 1 : (tickets[2 * index + 1] ?? 0);
      if (id === NO_RECORD || ticket === 0 || weight === 0) return;
      const { resetMs } = decision.results?.[index] ?? decision;
      const isHeld = now < decision.atMs + resetMs;
      const owed = Math.min(cost * weight, COUNT_MAX);
      const component = (ticket - tie) | 0;
      const paid = rule.refund(id, component, owed, now, clusterNow, isHeld);
      given = Math.max(given, Math.ceil(paid / weight));
    });
    if (given > 0) store.changed(id);
    this.ignored += Math.max(0, cost - given);
  }
}

export function ticketsOf(decision: Decision): Tickets {
  const tickets = Decision.ticketsOf(decision);
  if (tickets !== undefined) return tickets;
  throw new TidegateError(
    "TIDEGATE_DECISION_INVALID",
    `a refund needs the decision that 'check' or 'charge' returned, got ${shown(decision)}`,
  );
}
