/**
 * The options that all adapters take beside those of the limiter they replace.
 *
 * `Request` and `Response` are what the framework hands to its users' functions.
 */

import type { Cluster } from "../../cluster/cluster.ts";
import type { Policy } from "../../policies/policy.ts";
import type { SeparatedMode } from "../../replication/membership/partition-detector.ts";
import type { Clock } from "../../time/clock.ts";
import type { KeyAnswer } from "../client/client-key.ts";
import type { Refusal } from "../flow/gate.ts";
import type { Draft, PartitionKey } from "../headers/fields.ts";
import type { Asked, AskedWithKey, Cost, OnError } from "../user-functions.ts";

export type Preset = "parity" | "api" | "login";

export const PRESETS: readonly Preset[] = ["parity", "api", "login"];

/**
 * What a preset cannot do without, so that its absence does not compile: `api` has no limit of its own. One
 * of the options named has to be given where `api` is what was chosen, and no more than that.
 */
export type NeededBy<Chosen extends Preset, Names extends string> = [Chosen] extends ["api"]
  ? { [Name in Names]: { readonly [Given in Name]: NonNullable<unknown> } }[Names]
  : unknown;

export interface GateOptions<Request, Response> {
  /**
   * Where the other options begin: as the limiter that this one replaces; as an API of today, with the
   * newest fields and problem details; or for signing in, by user name and address.
   *
   * @default "parity"
   */
  readonly preset?: Preset | undefined;
  /** What the limiter is called, in events, in a cluster and in headers; required with `cluster`. */
  readonly name?: string | undefined;
  /** The cluster in which limiters of this name count together. */
  readonly cluster?: Cluster | undefined;
  /**
   * What this process lets pass while it is cut off from the others of its cluster.
   *
   * @default "open"
   */
  readonly onPartition?: SeparatedMode | undefined;
  /** Where time comes from; tests pass a manual one. */
  readonly clock?: Clock | undefined;
  /**
   * How many keys are kept at most.
   *
   * @default 1_000_000
   */
  readonly maxKeys?: number | undefined;

  /**
   * Whom a request is counted for. Several parts are kept apart; what is no key means the address, and
   * false lets the request pass uncounted, but not under the name `keyGenerator`.
   *
   * @default the client's address, IPv6 by its network
   */
  readonly key?: Asked<Request, Response, KeyAnswer | false> | undefined;
  /** The user name that a request wants to sign in with; for the preset `login`. */
  readonly username?: Asked<Request, Response, string | null | undefined> | undefined;
  /**
   * How many requests of one address may try to sign in, whatever names they give.
   *
   * @default 50
   */
  readonly addressLimit?: number | undefined;
  /**
   * Requests in a window, or a function that knows: of the user, or of the user's plan. With `login` it is
   * that of a user name, and the function gets the name as the key.
   *
   * @default that of the limiter replaced; with `login` 5; with `api` there is none
   */
  readonly limit?: number | AskedWithKey<Request, Response, Cost> | undefined;
  /**
   * How long a window is; each width that a function answers with is a limiter of its own.
   *
   * @default that of the limiter replaced; with `api` 60_000, with `login` 900_000
   */
  readonly windowMs?: number | AskedWithKey<Request, Response, number> | undefined;
  /** Any of the policies instead of `limit` and `windowMs`, all or nothing. */
  readonly policies?: readonly Policy[] | undefined;
  /**
   * What a request costs, before it is handled.
   *
   * @default 1
   */
  readonly cost?: number | AskedWithKey<Request, Response, Cost> | undefined;
  /** What a request has cost beside that, once it has been answered. */
  readonly charge?: Asked<Request, Response, Cost> | undefined;
  /**
   * Whether a request counts at all, once it has been answered. It is only looked at before, so requests
   * that run at the same time may pass the limit together.
   */
  readonly countIf?: Asked<Request, Response, unknown> | undefined;

  /** Requests that are let through uncounted and without headers. */
  readonly skip?: Asked<Request, Response, unknown> | undefined;
  /**
   * Addresses, networks and keys that are always let through, or a function that knows. What is written as an
   * address or a network, such as `203.0.113.0/24`, is compared with the client's address and never with a
   * key; what only looks like a network, such as `203.0.113/24` or `203.0.113.*`, throws; the rest are keys.
   */
  readonly allow?: readonly string[] | AskedWithKey<Request, Response, unknown> | undefined;
  /** Addresses, networks and keys that are never let through, read as in `allow`, or a function that knows. */
  readonly block?: readonly string[] | AskedWithKey<Request, Response, unknown> | undefined;
  /**
   * Counts and refuses the questions that browsers ask before a request, too.
   *
   * @default false
   */
  readonly countPreflights?: boolean | undefined;
  /**
   * Decides and reports, and lets every request pass without headers.
   *
   * @default false
   */
  readonly dryRun?: boolean | undefined;
  /**
   * Gives back the hits of requests that failed.
   *
   * @default false
   */
  readonly skipFailedRequests?: boolean | undefined;
  /**
   * Gives back the hits of requests that succeeded.
   *
   * @default false
   */
  readonly skipSuccessfulRequests?: boolean | undefined;
  /**
   * What those two options take for success.
   *
   * @default the status is below 400
   */
  readonly requestWasSuccessful?: Asked<Request, Response, boolean> | undefined;
  /**
   * Takes a request for failed whose client has hung up before it was answered. Clients decide that for
   * themselves.
   *
   * @default false
   */
  readonly refundHangUps?: boolean | undefined;
  /**
   * How long a request keeps what it holds under `concurrency` after its client has hung up, while its handler
   * is still at work; 0 gives it back at once.
   *
   * @default 60_000
   */
  readonly holdAfterHangUpMs?: number | undefined;

  /**
   * The headers `X-RateLimit-*`.
   *
   * @default true; with `api` and `login` false
   */
  readonly legacyHeaders?: boolean | undefined;
  /**
   * The fields of the IETF draft; `true` is what the preset would choose.
   *
   * @default false; with `api` "draft-11"
   */
  readonly standardHeaders?: boolean | Draft | undefined;
  /**
   * How the only policy is called in fields; each of several `policies` has a name of its own.
   *
   * @default the policy's name, else the limiter's with `api`, else what the limiter replaced calls it
   */
  readonly identifier?: string | Asked<Request, Response, string> | undefined;
  /**
   * Tells clients apart in the fields of draft-8 and draft-11 without telling who they are.
   *
   * @default false
   */
  readonly partitionKey?: PartitionKey<Request, Response> | undefined;
  /**
   * Lets scripts of other origins read the rate-limit headers.
   *
   * @default false; with `api` true
   */
  readonly exposeHeaders?: boolean | undefined;
  /** Responses that go out without rate-limit fields. */
  readonly omitHeaders?: readonly ("redirects" | "cacheable")[] | undefined;
  /**
   * Another wait than the computed one, in seconds; clients that heed it may come too early.
   *
   * @default the computed one
   */
  readonly retryAfter?: number | Asked<Request, Response, number> | undefined;
  /**
   * The status of a refusal.
   *
   * @default 429
   */
  readonly statusCode?: number | undefined;
  /**
   * The `type` of the problem details of `api`, `about:blank` for none.
   *
   * @default that of the IETF draft
   */
  readonly problemType?: string | undefined;

  /**
   * How much of an IPv6 address makes a key.
   *
   * @default 56 under Express and in a cluster, else 64
   */
  readonly ipv6Subnet?: number | false | Asked<Request, Response, number | false> | undefined;
  /** Networks whose last 32 bits are IPv4 addresses, beside `64:ff9b::/96`. */
  readonly translationPrefixes?: readonly string[] | undefined;
  /**
   * What to count by where the framework believes every sender about the client's address: that address, after a
   * warning, or the address of the connection.
   *
   * @default "warn"
   */
  readonly onPermissiveProxy?: "warn" | "socket" | undefined;
  /** Told of every request that a limit refuses, or that in a dry run a limit or `block` would refuse. */
  readonly onLimited?:
    | ((request: Request, response: Response, refusal: Refusal) => unknown)
    | undefined;
  /**
   * What becomes of a request when a function given here fails: the framework gets the error, the
   * request passes, or it is refused with 503.
   *
   * @default "throw"
   */
  readonly onError?: OnError | undefined;
}

/** The names of all of them. */
export const GATE_OPTIONS: readonly (keyof GateOptions<unknown, unknown>)[] = [
  "preset",
  "name",
  "cluster",
  "onPartition",
  "clock",
  "maxKeys",
  "key",
  "username",
  "addressLimit",
  "limit",
  "windowMs",
  "policies",
  "cost",
  "charge",
  "countIf",
  "skip",
  "allow",
  "block",
  "countPreflights",
  "dryRun",
  "skipFailedRequests",
  "skipSuccessfulRequests",
  "requestWasSuccessful",
  "refundHangUps",
  "holdAfterHangUpMs",
  "legacyHeaders",
  "standardHeaders",
  "identifier",
  "partitionKey",
  "exposeHeaders",
  "omitHeaders",
  "retryAfter",
  "statusCode",
  "problemType",
  "ipv6Subnet",
  "translationPrefixes",
  "onPermissiveProxy",
  "onLimited",
  "onError",
];
