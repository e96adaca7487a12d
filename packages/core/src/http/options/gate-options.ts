/**
 * The options of all adapters, beside those of the limiter that an adapter replaces.
 *
 * `Request` and `Response` are the objects that the framework passes to its users' functions.
 */

import type { Cluster } from "../../cluster/cluster.ts";
import type { Policy } from "../../policies/policy.ts";
import type { SeparatedMode } from "../../protocol/replica.ts";
import type { Clock } from "../../time/clock.ts";
import type { KeyAnswer } from "../client/client-key.ts";
import type { Refusal } from "../flow/gate.ts";
import type { Draft, PartitionKey } from "../headers/fields.ts";
import type { Asked, AskedWithKey, Cost, OnError } from "../user-functions.ts";

export type Preset = "parity" | "api" | "login";

export const PRESETS: readonly Preset[] = ["parity", "api", "login"];

/**
 * The options that a preset needs, so that code without them does not compile. `api` has no limit of its own.
 * With `api`, at least one of the named options is required.
 */
export type NeededBy<Chosen extends Preset, Names extends string> = [Chosen] extends ["api"]
  ? { [Name in Names]: { readonly [Given in Name]: NonNullable<unknown> } }[Names]
  : unknown;

export interface GateOptions<Request, Response> {
  /**
   * The defaults of the other options: those of the limiter that this one replaces; those of an API of today, with
   * the newest fields and problem details; or those for signing in, by user name and address.
   *
   * @default "parity"
   */
  readonly preset?: Preset | undefined;
  /** The name of the limiter in events, in a cluster and in headers; required with `cluster`. */
  readonly name?: string | undefined;
  /** The cluster in which limiters of this name count together. */
  readonly cluster?: Cluster | undefined;
  /**
   * What this process allows while it is partitioned from the others of its cluster.
   *
   * @default "open"
   */
  readonly onPartition?: SeparatedMode | undefined;
  /** The source of time; tests pass a manual clock. */
  readonly clock?: Clock | undefined;
  /**
   * The largest number of keys in memory.
   *
   * @default 1_000_000
   */
  readonly maxKeys?: number | undefined;

  /**
   * The key that a request counts for. Several parts make one key. A value that is no key means the address, and
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
   * Requests in a window, or a function that returns them, for example for the user's plan. With `login` it is
   * the limit of a user name, and the function gets the name as the key.
   *
   * @default that of the limiter replaced; with `login` 5; with `api` there is none
   */
  readonly limit?: number | AskedWithKey<Request, Response, Cost> | undefined;
  /**
   * The length of a window. Each length that a function returns is a limiter of its own.
   *
   * @default that of the limiter replaced; with `api` 60_000, with `login` 900_000
   */
  readonly windowMs?: number | AskedWithKey<Request, Response, number> | undefined;
  /** Policies instead of `limit` and `windowMs`. A request counts in all of them or in none. */
  readonly policies?: readonly Policy[] | undefined;
  /**
   * The cost of a request, before it is handled.
   *
   * @default 1
   */
  readonly cost?: number | AskedWithKey<Request, Response, Cost> | undefined;
  /** A further cost of a request, once it has been answered. */
  readonly charge?: Asked<Request, Response, Cost> | undefined;
  /**
   * Whether a request counts at all, once it has been answered. Before that the limiter only checks, so requests
   * that run at the same time may exceed the limit together.
   */
  readonly countIf?: Asked<Request, Response, unknown> | undefined;

  /** Requests that pass uncounted and without headers. */
  readonly skip?: Asked<Request, Response, unknown> | undefined;
  /**
   * Addresses, networks and keys that are always allowed, or a function that decides. An entry that is an
   * address or a network, such as `203.0.113.0/24`, is compared with the client's address and never with a
   * key. An entry that only looks like a network, such as `203.0.113/24` or `203.0.113.*`, throws. Other
   * entries are keys.
   */
  readonly allow?: readonly string[] | AskedWithKey<Request, Response, unknown> | undefined;
  /** Addresses, networks and keys that are always refused, read as in `allow`, or a function that decides. */
  readonly block?: readonly string[] | AskedWithKey<Request, Response, unknown> | undefined;
  /**
   * Counts and refuses the preflights of browsers, too.
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
   * Refunds the hits of requests that failed.
   *
   * @default false
   */
  readonly skipFailedRequests?: boolean | undefined;
  /**
   * Refunds the hits of requests that succeeded.
   *
   * @default false
   */
  readonly skipSuccessfulRequests?: boolean | undefined;
  /**
   * What counts as success for those two options.
   *
   * @default the status is below 400
   */
  readonly requestWasSuccessful?: Asked<Request, Response, boolean> | undefined;
  /**
   * Treats a request as failed if its client hangs up before the answer. Note that a client can do that on purpose.
   *
   * @default false
   */
  readonly refundHangUps?: boolean | undefined;
  /**
   * How long a request keeps its permits of `concurrency` after its client has hung up, while its handler
   * still runs; 0 releases them at once.
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
   * The fields of the IETF draft; `true` means the draft of the preset.
   *
   * @default false; with `api` "draft-11"
   */
  readonly standardHeaders?: boolean | Draft | undefined;
  /**
   * The name of the only policy in fields; each of several `policies` has a name of its own.
   *
   * @default the policy's name, else with `api` the limiter's name, else the name in the limiter replaced
   */
  readonly identifier?: string | Asked<Request, Response, string> | undefined;
  /**
   * Distinguishes clients in the fields of draft-8 and draft-11 without identifying them.
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
  /** Responses that have no rate-limit fields. */
  readonly omitHeaders?: readonly ("redirects" | "cacheable")[] | undefined;
  /**
   * Another wait than the computed one, in seconds. If it is shorter, clients come back too early.
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
   * How many bits of an IPv6 address make a key.
   *
   * @default 56 under Express and in a cluster, else 64
   */
  readonly ipv6Subnet?: number | false | Asked<Request, Response, number | false> | undefined;
  /** Networks whose last 32 bits are IPv4 addresses, in addition to `64:ff9b::/96`. */
  readonly translationPrefixes?: readonly string[] | undefined;
  /**
   * The address that counts if the framework trusts every sender about the client's address: that address, after a
   * warning, or the address of the connection.
   *
   * @default "warn"
   */
  readonly onPermissiveProxy?: "warn" | "socket" | undefined;
  /** Called for every request that a limit refuses, or that in a dry run a limit or `block` would refuse. */
  readonly onLimited?:
    | ((request: Request, response: Response, refusal: Refusal) => unknown)
    | undefined;
  /**
   * What happens to a request when a function in these options fails: the framework gets the error, the
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
