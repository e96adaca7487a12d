/**
 * Everything a gate does, decided when the gate is made. Steps that are null are skipped at no
 * cost.
 */

import { durationMs, invalidOption } from "../../base/options.ts";
import type { Limiter } from "../../limiter/limiter.ts";
import type { AddressList, ClientAddress, Ipv6Subnet } from "../client/client-address.ts";
import type { KeyAnswer } from "../client/client-key.ts";
import type { Counter, Verdict } from "../counter.ts";
import type { FollowedEnd, Framework } from "../framework.ts";
import type { Omission } from "../headers/exposure.ts";
import type { Fields, Partitioner, Quota } from "../headers/fields.ts";
import type { Asked, AskedWithKey, Cost, OnError, ShownKey } from "../user-functions.ts";
import type { Warnings } from "../warnings.ts";
import type { Problems } from "./problem.ts";
import type { Refusal } from "./refusal.ts";

export { Problems } from "./problem.ts";

/** The most window lengths of one gate. */
const WIDTHS_MAX = 64;

/** The counter of requests, and the names of its policies in headers. */
export interface Budget {
  readonly counter: Counter;
  /** The limiter; null while a store counts. */
  readonly limiter: Limiter | null;
  readonly quotas: readonly Quota[];
  /** The names of the policies in fields and problems. */
  readonly names: readonly string[];
  readonly fields: Fields | null;
  /** Whether permits are held until a response has ended. */
  readonly holdsPermits: boolean;
}

/** The budgets of one gate by the length of their window. */
export class Budgets {
  readonly #make: (windowMs: number | null) => Budget;
  readonly #byWidth = new Map<number, Budget>();
  /** The budget of requests without a window length of their own. */
  readonly usual: Budget;
  readonly #usualMs: number | null;

  constructor(usualMs: number | null, make: (windowMs: number | null) => Budget) {
    this.#make = make;
    this.#usualMs = usualMs;
    this.usual = make(null);
  }

  /** The budget for a window length that a user's function returned. */
  ofWidth(windowMs: unknown): Budget {
    if (windowMs === this.#usualMs) return this.usual;
    const width = durationMs("windowMs", windowMs);
    let budget = this.#byWidth.get(width);
    if (budget === undefined) {
      if (this.#byWidth.size >= WIDTHS_MAX) {
        throw invalidOption("windowMs", `one of at most ${WIDTHS_MAX} different widths`, width);
      }
      budget = this.#make(width);
      this.#byWidth.set(width, budget);
    }
    return budget;
  }

  all(): readonly Budget[] {
    return [this.usual, ...this.#byWidth.values()];
  }
}

export interface GatePlan<Request, Response> {
  readonly framework: Framework<Request, Response>;
  readonly warnings: Warnings;
  readonly budgets: Budgets;
  /** The second budget of a login, by user name; both must allow the request. */
  readonly username: UsernamePlan<Request, Response> | null;

  /** Whether nothing is counted, so that a request may come more than once. */
  readonly onlyLooks: boolean;
  readonly letsPreflightsPass: boolean;
  readonly skip: Asked<Request, Response, unknown> | null;
  readonly block: AddressList | AskedWithKey<Request, Response, unknown> | null;
  readonly allow: AddressList | AskedWithKey<Request, Response, unknown> | null;
  /**
   * Whether `block` may contain addresses. A request whose address is gone with its connection is
   * then refused.
   */
  readonly blocksGone: boolean;
  readonly client: ClientAddress<Request, Response>;
  readonly subnet: Ipv6Subnet | Asked<Request, Response, Ipv6Subnet>;
  /** The range of the function's answers. */
  readonly subnetRange: readonly [least: number, most: number];
  /** False instead of a key allows the request. */
  readonly key: Asked<Request, Response, KeyAnswer | false> | null;
  /** Whether a request without any address is refused. */
  readonly needsAddress: boolean;
  readonly windowMs: AskedWithKey<Request, Response, number> | null;
  readonly limit: AskedWithKey<Request, Response, Cost> | null;
  readonly cost: AskedWithKey<Request, Response, Cost> | number;

  /** Called with every verdict before anything is written. */
  readonly onVerdict:
    | ((request: Request, response: Response, verdict: Verdict, key: ShownKey) => void)
    | null;
  readonly onLimited: ((request: Request, response: Response, refusal: Refusal) => unknown) | null;
  /** Whether an error that it throws synchronously goes to the framework. */
  readonly limitedMayThrow: boolean;
  readonly onError: OnError;
  readonly dryRun: boolean;
  /** Whether refusals are enforced, as the limiter's events report. */
  readonly enforces: boolean;

  readonly identifier: Asked<Request, Response, string> | null;
  readonly partition: Partitioner<Request, Response> | null;
  /** Headers that scripts of other origins may read; null adds none. */
  readonly exposed: readonly string[] | null;
  /** Which responses are sent without rate-limit fields. */
  readonly omit: Omission | null;
  readonly sendsRetryAfter: boolean;
  readonly retryAfter: Asked<Request, Response, number> | number | null;
  /** Waits are rounded up to a multiple of this. */
  readonly retryAfterUnit: number;
  readonly statusCode: number;
  readonly problems: Problems | null;

  readonly afterwards: Afterwards<Request, Response> | null;
  /** The longest wait for a handler after a hang-up. */
  readonly holdAfterHangUpMs: number;
  /**
   * The work that follows each response's end; null where the framework does not show when a
   * handler is done.
   */
  readonly following: WeakMap<object, FollowedEnd> | null;
}

/** The second budget of a login, beside the address. */
export interface UsernamePlan<Request, Response> {
  readonly budget: Budget;
  readonly of: Asked<Request, Response, string | null | undefined>;
  /** Called for the limit of a name, with the name as the key. */
  readonly limit: AskedWithKey<Request, Response, Cost> | null;
}

/** The work after the end of a response. */
export interface Afterwards<Request, Response> {
  readonly refundsFailed: boolean;
  readonly refundsSuccessful: boolean;
  /** Whether a hang-up counts as a failed request. */
  readonly refundsHangUps: boolean;
  readonly wasSuccessful: Asked<Request, Response, boolean>;
  /** Whether refused hits are counted, and therefore refunded too. */
  readonly countsRefused: boolean;
  readonly charge: Asked<Request, Response, Cost> | null;
  readonly countIf: Asked<Request, Response, unknown> | null;
}
