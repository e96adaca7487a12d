/**
 * Everything a gate does, decided when it is made: what is null is not done and costs nothing.
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

/** How many widths of windows one gate may have. */
const WIDTHS_MAX = 64;

/** What requests are counted in, and what its policies are called in headers. */
export interface Budget {
  readonly counter: Counter;
  /** The limiter, if it is one that counts. */
  readonly limiter: Limiter | null;
  readonly quotas: readonly Quota[];
  /** What the policies are called in fields and problems. */
  readonly names: readonly string[];
  readonly fields: Fields | null;
  /** Whether places are held until a response has ended. */
  readonly holdsPlaces: boolean;
}

/** The budgets of one gate by the width of their window. */
export class Budgets {
  readonly #make: (windowMs: number | null) => Budget;
  readonly #byWidth = new Map<number, Budget>();
  /** The budget of requests without a width of their own. */
  readonly usual: Budget;
  readonly #usualMs: number | null;

  constructor(usualMs: number | null, make: (windowMs: number | null) => Budget) {
    this.#make = make;
    this.#usualMs = usualMs;
    this.usual = make(null);
  }

  /** The budget for a width that a user's function has answered with. */
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
  /** A second budget that has to agree, by the user name of a login. */
  readonly username: UsernamePlan<Request, Response> | null;

  /** Whether a request may come more than once, because nothing is counted. */
  readonly onlyLooks: boolean;
  readonly letsPreflightsPass: boolean;
  readonly skip: Asked<Request, Response, unknown> | null;
  readonly block: AddressList | AskedWithKey<Request, Response, unknown> | null;
  readonly allow: AddressList | AskedWithKey<Request, Response, unknown> | null;
  /** Whether `block` may look at addresses, so that a request is refused whose address went with its connection. */
  readonly blocksGone: boolean;
  readonly client: ClientAddress<Request, Response>;
  readonly subnet: Ipv6Subnet | Asked<Request, Response, Ipv6Subnet>;
  /** What a function may answer with there. */
  readonly subnetRange: readonly [least: number, most: number];
  /** False instead of a key lets the request pass. */
  readonly key: Asked<Request, Response, KeyAnswer | false> | null;
  /** Whether a request without any address is refused. */
  readonly needsAddress: boolean;
  readonly windowMs: AskedWithKey<Request, Response, number> | null;
  readonly limit: AskedWithKey<Request, Response, Cost> | null;
  readonly cost: AskedWithKey<Request, Response, Cost> | number;

  /** Told of every verdict before anything is written. */
  readonly onVerdict:
    | ((request: Request, response: Response, verdict: Verdict, key: ShownKey) => void)
    | null;
  readonly onLimited: ((request: Request, response: Response, refusal: Refusal) => unknown) | null;
  /** Whether what that throws at once is for the framework. */
  readonly limitedMayThrow: boolean;
  readonly onError: OnError;
  readonly dryRun: boolean;
  /** Whether what a limiter refuses is refused, as its events say. */
  readonly enforces: boolean;

  readonly identifier: Asked<Request, Response, string> | null;
  readonly partition: Partitioner<Request, Response> | null;
  /** Names for scripts of other origins; null adds none. */
  readonly exposed: readonly string[] | null;
  /** Which responses go out without rate-limit fields after all. */
  readonly omit: Omission | null;
  readonly sendsRetryAfter: boolean;
  readonly retryAfter: Asked<Request, Response, number> | number | null;
  /** Waits are rounded up to a multiple of this. */
  readonly retryAfterUnit: number;
  readonly statusCode: number;
  readonly problems: Problems | null;

  readonly afterwards: Afterwards<Request, Response> | null;
  /** How long after a hang-up a handler is waited for at most. */
  readonly holdAfterHangUpMs: number;
  /** By response, what follows from its end; null where the framework does not say when a handler is done. */
  readonly following: WeakMap<object, FollowedEnd> | null;
}

/** What a login counts by beside the address. */
export interface UsernamePlan<Request, Response> {
  readonly budget: Budget;
  readonly of: Asked<Request, Response, string | null | undefined>;
  /** Asked for the limit of a name, with the name as the key. */
  readonly limit: AskedWithKey<Request, Response, Cost> | null;
}

/** What is done once a response has ended. */
export interface Afterwards<Request, Response> {
  readonly refundsFailed: boolean;
  readonly refundsSuccessful: boolean;
  /** Whether a request has failed whose client has hung up. */
  readonly refundsHangUps: boolean;
  readonly wasSuccessful: Asked<Request, Response, boolean>;
  /** Whether hits are counted that were refused, so that they can be given back too. */
  readonly countsRefused: boolean;
  readonly charge: Asked<Request, Response, Cost> | null;
  readonly countIf: Asked<Request, Response, unknown> | null;
}
