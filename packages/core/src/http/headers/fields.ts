/**
 * Writes the rate-limit fields of a response, in each format that the user chose.
 *
 * Text that never changes is made once per limiter. Several limiters on one response add to the
 * existing fields: lists get more members. A format with room for one limit shows the one with
 * the least remaining.
 */

import type { PolicyResult } from "../../base/decision.ts";
import type { Policy } from "../../policies/policy.ts";
import { sharedState } from "../../runtime/copies.ts";
import type { Verdict } from "../counter.ts";
import type { Framework, HeaderValue } from "../framework.ts";
import { Quota } from "./quota.ts";
import { fieldString, memberNames } from "./structured-field.ts";

export {
  type KeyedPartition,
  type Partitioner,
  type PartitionKey,
  partitioner,
} from "./partition-key.ts";
export { limitOf, QUOTA_MAX, Quota } from "./quota.ts";
export { isFieldText } from "./structured-field.ts";

export const DRAFTS = ["draft-6", "draft-7", "draft-8", "draft-11"] as const;

/** A revision of the IETF draft on rate-limit fields; see the reference on HTTP. */
export type Draft = (typeof DRAFTS)[number];

/** The drafts whose fields are lists of named members, with room for a partition key. */
export const NAMING_DRAFTS: readonly Draft[] = ["draft-8", "draft-11"];

/** Whether the fields of a draft contain the names of policies. */
export function namesPolicies(draft: unknown): boolean {
  return (NAMING_DRAFTS as readonly unknown[]).includes(draft);
}

/** The header names from before the drafts; null omits a header. */
export interface LegacyNames {
  readonly limit: string | null;
  readonly remaining: string | null;
  readonly reset: string | null;
}

export interface LegacyFields {
  readonly allowed: LegacyNames;
  readonly refused: LegacyNames;
  /** Whether the reset is a date, in seconds since 1970, or a number of seconds from now. */
  readonly resetAs: "epoch" | "delta";
}

/** The name of a policy in fields: constant, or derived from the applied limit. */
export type FieldName = string | ((limit: number) => string);

/** The part of a framework that writes fields. */
type HeaderAccess<Response> = Pick<Framework<never, Response>, "header" | "setHeader">;

export interface FieldsOptions {
  readonly legacy: LegacyFields | null;
  readonly standard: Draft | null;
  readonly quotas: readonly Quota[];
  /** One per quota. */
  readonly names: readonly FieldName[];
  /** Whether a space stands before each parameter of a list; readers take both. */
  readonly isSpaced: boolean;
}

/** Names of parameters that a later draft may rename. */
const AVAILABLE = "r";
const EFFECTIVE = "t";

const POLICY = "RateLimit-Policy";
const LIMIT = "RateLimit";

const NO_NAMES: readonly string[] = [];

const TREMBLE_MS = 2;

/** The limiters with fields, in any format: two formats may use the same header. */
const writers = sharedState("writers", () => ({ count: 0 }));

export class Fields {
  readonly #options: FieldsOptions;
  readonly #wall = new WallTime();
  readonly #limitTexts: readonly string[];
  /** The names, where none depends on the applied limit. */
  readonly #usualNames: readonly string[] | null;
  /** The whole policy field, where nothing in it depends on the request. */
  readonly #policyField: string | null;
  /** The text before a parameter in a list. */
  readonly #separator: string;

  constructor(options: FieldsOptions) {
    this.#options = options;
    this.#separator = options.isSpaced ? "; " : ";";
    this.#limitTexts = options.quotas.map(({ limit }) => String(limit));
    const { names } = options;
    this.#usualNames = names.every((name) => typeof name === "string") ? names : null;
    const results = options.quotas.map(({ policy, limit }) => ({ policy, limit }) as PolicyResult);
    const usual = this.#names(results, null, NO_NAMES);
    this.#policyField = options.standard === null ? null : this.#policies(results, usual, null);
    writers.count++;
  }

  /** Every name that may be written, including `Retry-After`: the headers to expose to scripts. */
  exposedNames(): string[] {
    const { legacy, standard } = this.#options;
    const { limit = null, remaining = null, reset = null } = legacy?.allowed ?? {};
    const old = [limit, remaining, reset].filter((name) => name !== null);
    const trio = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];
    const current = standard === "draft-6" ? [...trio, POLICY] : [LIMIT, POLICY];
    return [...old, ...(standard === null ? [] : current), "Retry-After"];
  }

  /**
   * Writes the fields of a verdict.
   *
   * @param name the only policy's name in this response, instead of its usual name
   * @param partition the partition key as a Byte Sequence
   * @returns the names of the policies in this response; null where no field names them
   */
  write<Response>(
    framework: HeaderAccess<Response>,
    response: Response,
    verdict: Verdict,
    name: string | null,
    partition: string | null,
  ): readonly string[] | null {
    const { legacy, standard, quotas } = this.#options;
    let binding = 0;
    if (quotas.length > 1) {
      binding = Math.max(
        0,
        quotas.findIndex(({ policy }) => policy === verdict.policy),
      );
    }
    if (legacy !== null) this.#writeLegacy(framework, response, verdict, binding, legacy);
    if (standard === null) return null;
    const results = verdict.results ?? [verdict];
    const isUsual =
      name === null &&
      partition === null &&
      results.every(({ limit }, index) => limit === quotas[index]!.limit);
    const policies = isUsual ? this.#policyField : null;
    if (namesPolicies(standard)) {
      return this.#writeLists(framework, response, results, policies, name, partition);
    }
    const list = policies ?? this.#policies(results, NO_NAMES, null);
    this.#writeOne(framework, response, verdict, binding, list);
    return null;
  }

  /** How long a refused client should wait: the longest wait of the policies that refused. */
  retryAfterSeconds(verdict: Verdict): number {
    const waits = (verdict.results ?? [verdict]).map((result, index) =>
      result.allowed ? 0 : this.#options.quotas[index]!.retryAfterSeconds(result),
    );
    return Math.max(1, ...waits);
  }

  #writeLegacy<Response>(
    framework: HeaderAccess<Response>,
    response: Response,
    verdict: Verdict,
    binding: number,
    legacy: LegacyFields,
  ): void {
    const { limit, remaining, reset } = verdict.allowed ? legacy.allowed : legacy.refused;
    const quota = this.#options.quotas[binding]!;
    const available = quota.available(verdict);
    if (remaining !== null) {
      const before = writtenBefore(framework, response, remaining);
      if (!isNearest(before, available, verdict.allowed)) return;
      framework.setHeader(response, remaining, String(available));
    }
    if (limit !== null) framework.setHeader(response, limit, this.#limitText(verdict, binding));
    if (reset === null) return;
    const seconds =
      legacy.resetAs === "delta"
        ? (quota.effectiveSeconds(verdict) ?? quota.retryAfterSeconds(verdict))
        : this.#resetEpochSeconds(verdict, quota);
    framework.setHeader(response, reset, String(seconds));
  }

  #resetEpochSeconds(verdict: Verdict, quota: Quota): number {
    const { allowed, resetMs, retryAfterMs, atMs } = verdict;
    const wait = allowed ? resetMs : Math.max(retryAfterMs, 1);
    const finite = wait < Infinity ? wait : quota.hopelessMs;
    return Math.ceil(this.#wall.at(atMs + finite, atMs) / 1_000);
  }

  /** The formats that show one limit only. */
  #writeOne<Response>(
    framework: HeaderAccess<Response>,
    response: Response,
    verdict: Verdict,
    binding: number,
    policies: string,
  ): void {
    const isSix = this.#options.standard === "draft-6";
    const shown = joined(framework.header(response, POLICY));
    if (shown?.startsWith('"') === true) return;
    const merged = shown === undefined ? policies : withoutTwins(`${shown}, ${policies}`);
    if (merged !== "") framework.setHeader(response, POLICY, merged);
    const quota = this.#options.quotas[binding]!;
    const available = quota.available(verdict);
    const before = framework.header(response, isSix ? "RateLimit-Remaining" : LIMIT);
    if (!isNearest(before, available, verdict.allowed)) return;
    const limit = this.#limitText(verdict, binding);
    const wait = verdict.allowed ? 0 : quota.retryAfterSeconds(verdict);
    const reset = quota.effectiveSeconds(verdict) ?? wait;
    if (isSix) {
      framework.setHeader(response, "RateLimit-Limit", limit);
      framework.setHeader(response, "RateLimit-Remaining", String(available));
      framework.setHeader(response, "RateLimit-Reset", String(reset));
    } else {
      const text = `limit=${limit}, remaining=${available}, reset=${reset}`;
      framework.setHeader(response, LIMIT, text);
    }
  }

  /** The formats in which every policy is a named member of a list. */
  #writeLists<Response>(
    framework: HeaderAccess<Response>,
    response: Response,
    results: readonly PolicyResult[],
    policies: string | null,
    name: string | null,
    partition: string | null,
  ): readonly string[] | null {
    const shown = joined(framework.header(response, POLICY));
    const limits = joined(framework.header(response, LIMIT));
    const isFirst = shown === undefined && limits === undefined;
    // A field in another format is left alone: a reader would drop both.
    if (!isFirst && [shown, limits].some((text) => text?.startsWith('"') === false)) return null;
    const taken = isFirst ? NO_NAMES : [...memberNames(shown ?? ""), ...memberNames(limits ?? "")];
    const names = this.#names(results, name, taken);
    const own = isFirst && policies !== null ? policies : this.#policies(results, names, partition);
    framework.setHeader(response, POLICY, shown === undefined ? own : `${shown}, ${own}`);
    const members = this.#limits(results, names, partition);
    framework.setHeader(response, LIMIT, limits === undefined ? members : `${limits}, ${members}`);
    return names;
  }

  #policies(
    results: readonly PolicyResult[],
    names: readonly string[],
    partition: string | null,
  ): string {
    const { standard } = this.#options;
    const separator = this.#separator;
    const isNamed = namesPolicies(standard);
    const members = results.map((result, index) => {
      const quota = this.#options.quotas[index]!;
      const seconds = quota.windowSeconds(result.limit);
      if (!isNamed) return seconds === null ? "" : `${result.limit};w=${seconds}`;
      const unit = quota.isConcurrency ? `${separator}qu="concurrent-requests"` : "";
      const window = seconds === null ? "" : `${separator}w=${seconds}`;
      const quoted = fieldString(names[index]!);
      return `${quoted}${separator}q=${result.limit}${unit}${window}${this.#pk(partition)}`;
    });
    const list = members.filter((member) => member !== "").join(", ");
    return isNamed ? list : withoutTwins(list);
  }

  #limits(
    results: readonly PolicyResult[],
    names: readonly string[],
    partition: string | null,
  ): string {
    const separator = this.#separator;
    const members = results.map((result, index) => {
      const quota = this.#options.quotas[index]!;
      const seconds = quota.effectiveSeconds(result);
      const effective = seconds === null ? "" : `${separator}${EFFECTIVE}=${seconds}`;
      const value = `${AVAILABLE}=${quota.available(result)}${effective}`;
      return `${fieldString(names[index]!)}${separator}${value}${this.#pk(partition)}`;
    });
    return members.join(", ");
  }

  /**
   * The names of the policies, with a number behind a name that is already used.
   *
   * @param taken the names in the fields so far, quoted
   */
  #names(
    results: readonly PolicyResult[],
    given: string | null,
    taken: readonly string[],
  ): readonly string[] {
    if (given === null && taken.length === 0 && this.#usualNames !== null) return this.#usualNames;
    const names: string[] = [];
    results.forEach(({ limit }, index) => {
      const usual = this.#options.names[index]!;
      const name = given ?? (typeof usual === "string" ? usual : usual(limit));
      let free = name;
      for (let count = 2; taken.includes(fieldString(free)) || names.includes(free); count++) {
        free = `${name}-${count}`;
      }
      names.push(free);
    });
    return names;
  }

  #pk(partition: string | null): string {
    return partition === null ? "" : `${this.#separator}pk=${partition}`;
  }

  #limitText({ limit }: Verdict, binding: number): string {
    const isUsual = limit === this.#options.quotas[binding]!.limit;
    return isUsual ? this.#limitTexts[binding]! : String(limit);
  }
}

/** Which fields show a decision: `X-RateLimit-*`, or those of one revision of the draft. */
export type FieldFormat = "legacy" | Draft;

/** The part of a limiter that fields show. */
export interface FieldSource {
  readonly name: string;
  readonly policies: readonly Policy[];
}

const LEGACY_NAMES: LegacyNames = {
  limit: "X-RateLimit-Limit",
  remaining: "X-RateLimit-Remaining",
  reset: "X-RateLimit-Reset",
};

/** The header names of a limiter that replaces no other. */
export const LEGACY_FIELDS: LegacyFields = {
  allowed: LEGACY_NAMES,
  refused: LEGACY_NAMES,
  resetAs: "delta",
};

const PAIRS: HeaderAccess<Map<string, string>> = {
  header: (pairs, name) => pairs.get(name),
  setHeader: (pairs, name, value) => {
    pairs.set(name, value);
  },
};

/** Fields by the policies that they show, because their texts are made once. */
const made = new WeakMap<readonly Policy[], Map<string, Fields>>();

/**
 * The fields of a decision as pairs of name and value, with `Retry-After` for a refusal. Nothing is
 * written, so they fit any kind of response.
 *
 * @param limiter the limiter that has decided
 *
 * @example const headers = new Headers(fieldsOf(limiter.check(key), limiter, "draft-8"));
 */
export function fieldsOf(
  decision: Verdict,
  limiter: FieldSource,
  format: FieldFormat,
): [name: string, value: string][] {
  const pairs = new Map<string, string>();
  const fields = fieldsFor(limiter, format);
  fields.write(PAIRS, pairs, decision, null, null);
  if (!decision.allowed) pairs.set("Retry-After", String(fields.retryAfterSeconds(decision)));
  return [...pairs];
}

function fieldsFor({ name, policies }: FieldSource, format: FieldFormat): Fields {
  const formats = made.get(policies) ?? new Map<string, Fields>();
  made.set(policies, formats);
  let fields = formats.get(format);
  if (fields === undefined) {
    fields = new Fields({
      legacy: format === "legacy" ? LEGACY_FIELDS : null,
      standard: format === "legacy" ? null : format,
      quotas: policies.map((policy) => new Quota(policy)),
      // A single policy without a name has the limiter's name.
      names: policies.map(({ name: own, kind }) =>
        policies.length === 1 && own === kind ? name : own,
      ),
      isSpaced: false,
    });
    formats.set(format, fields);
  }
  return fields;
}

/**
 * Converts limiter time to the wall clock, which clients and programs use.
 *
 * A limiter's clock only moves forward. The distance between the two clocks is kept while it
 * changes only slightly, so that one window has one end. If the wall clock is set, the distance is
 * measured again.
 */
export class WallTime {
  #offsetMs = Number.NaN;
  /** The limiter's time when the clocks were last compared: once a millisecond is enough. */
  #comparedMs = Number.NaN;

  /** Milliseconds since 1970 at which `clockMs`, a time of the limiter's clock, is or was. */
  at(clockMs: number, nowMs: number): number {
    if (nowMs !== this.#comparedMs) this.#compare(nowMs);
    return this.#offsetMs + clockMs;
  }

  #compare(nowMs: number): void {
    this.#comparedMs = nowMs;
    const offsetMs = Date.now() - nowMs;
    if (!(Math.abs(offsetMs - this.#offsetMs) <= TREMBLE_MS)) this.#offsetMs = offsetMs;
  }
}

/**
 * What another limiter has written into a header that has room for one limit. Reading it takes as
 * long as a key lookup. With a single limiter in this process the read is skipped, because no
 * limiter of ours wrote the header.
 */
function writtenBefore<Response>(
  framework: Pick<Framework<never, Response>, "header">,
  response: Response,
  name: string,
): HeaderValue {
  return writers.count > 1 ? framework.header(response, name) : undefined;
}

/** Whether a limit has less remaining than the one that was written before. */
function isNearest(before: HeaderValue, available: number, allowed: boolean): boolean {
  if (before === undefined) return true;
  const shown = /(?:^|remaining=)(\d+)/.exec(joined(before) ?? "");
  return shown === null || !allowed || available <= Number(shown[1]);
}

/** The lines of one field, combined into one. */
function joined(value: HeaderValue): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return typeof value === "number" ? String(value) : value.join(", ");
}

/** In the older drafts no two policies of a list may have the same quota, and none may be missing. */
function withoutTwins(list: string): string {
  const quotas = new Set<string>();
  const kept = list.split(/,\s*/).filter((member) => {
    const quota = member.split(";")[0]!.trim();
    if (quota === "" || quotas.has(quota)) return false;
    quotas.add(quota);
    return true;
  });
  return kept.join(", ");
}
