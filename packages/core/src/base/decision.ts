/**
 * What a limiter answers: a value, never an exception.
 *
 * A decision is made on every request, so its class keeps one shape for all values. From the first
 * decision on, a field that may hold infinity is stored like any other value. So in the usual case
 * no field needs a box of its own.
 */

/**
 * Why a key was refused: its limit, a mark, or a partition from the processes that count for it as
 * well.
 */
export type RefusalReason = "limit" | "block" | "penalty" | "drain" | "partition";

/** The result of one policy of a limiter. All times are whole milliseconds. */
export interface PolicyResult {
  /** The policy's name, or its kind if it has none. */
  readonly policy: string;
  /** Whether this policy allows the hit. */
  readonly allowed: boolean;
  /** The limit that was applied: the policy's own, or the one given with the call. */
  readonly limit: number;
  /**
   * Hits that count at this moment, this one included if it was counted; rounded up. It is above
   * the limit if refused hits count, a charge or another replica went past it, or the limit fell.
   */
  readonly used: number;
  /** Hits of cost 1 that would still be allowed at this moment; never below 0. */
  readonly remaining: number;
  /** Until nothing counts any more, if no hit follows; `Infinity` if only a release helps. */
  readonly resetMs: number;
  /**
   * How long to wait until the same check is allowed, if no other hit follows. 0 when it was
   * allowed; `Infinity` when waiting never helps: the cost is above the limit, or only a release
   * helps.
   */
  readonly retryAfterMs: number;
  /** How long to hold an allowed hit back so that it leaves at the bucket's rate; usually 0. */
  readonly waitMs: number;
}

/**
 * The answer to one check. Where a limiter has several policies, the numbers are those of the one
 * that binds: the refusing policy with the longest wait, or the one with the least remaining.
 */
export class Decision implements PolicyResult {
  /** Whether the hit is allowed. */
  readonly allowed: boolean;
  readonly policy: string;
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetMs: number;
  readonly retryAfterMs: number;
  readonly waitMs: number;
  /** When the decision was made, by the limiter's clock. */
  readonly atMs: number;
  /** Whether it was made while this process was partitioned from processes that it knows. */
  readonly degraded: boolean;
  /** Why the hit was refused; null when it was not. */
  readonly reason: RefusalReason | null;
  /** The result of each policy, in the limiter's order; absent if there is only one. */
  declare readonly results?: readonly PolicyResult[];

  readonly #tickets: number | readonly number[];

  constructor(
    result: PolicyResult,
    atMs: number,
    reason: RefusalReason | null,
    tickets: number | readonly number[],
    results?: readonly PolicyResult[],
    degraded = false,
  ) {
    this.allowed = reason === null;
    this.policy = result.policy;
    this.limit = result.limit;
    this.used = result.used;
    this.remaining = result.remaining;
    this.resetMs = result.resetMs;
    this.retryAfterMs = result.retryAfterMs;
    this.waitMs = result.waitMs;
    this.atMs = atMs;
    this.degraded = degraded;
    this.reason = reason;
    this.#tickets = tickets;
    if (results !== undefined) this.results = results;
  }

  /**
   * The ticket of the count that a limiter's only policy counted the hit in, 0 for none; or such a
   * ticket and the hit's weight for each policy in turn. Undefined for anything but a decision.
   *
   * @internal
   */
  static ticketsOf(decision: unknown): number | readonly number[] | undefined {
    return typeof decision === "object" && decision !== null && #tickets in decision
      ? (decision as Decision).#tickets
      : undefined;
  }
}

// Numbers that fit a small integer are kept as such only in fields that have also held something
// else; this decision makes every field such a field before the first real one.
const unlike = null as unknown as number;
new Decision(
  {
    policy: "",
    allowed: true,
    limit: unlike,
    used: unlike,
    remaining: unlike,
    resetMs: unlike,
    retryAfterMs: unlike,
    waitMs: unlike,
  },
  unlike,
  null,
  unlike,
);
