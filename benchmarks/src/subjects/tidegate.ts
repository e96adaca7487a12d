/**
 * tidegate with each of its policies, as it is published: the compiled package, not its source.
 *
 * The last decision is stored where others could see it, so that the compiler cannot prove them unused
 * and spare the allocation that a real caller pays. Only the last: callers of a limiter do not keep
 * decisions either, and to store a young object in an old one costs more than the object.
 */

import {
  type Clock,
  concurrency,
  createLimiter,
  type Decision,
  fixedWindow,
  type Limiter,
  leakyBucket,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@tidegate/core";
import type { Keys } from "../measure/keys.ts";
import {
  type OpenSubject,
  SLIDING_SLOTS,
  type Subject,
  type SubjectOptions,
  WINDOW_MS,
} from "./subject.ts";

/** The decision that came last, kept to count as used. */
export const lastDecision: { value: Decision | undefined } = { value: undefined };

/** The largest limit of a log, which has room for each hit; a bucket of it never runs dry either. */
const SLOW_LIMIT_MAX = 1_000_000;

/** One hit leaves a bucket in the time of a window, so that a key does not end before. */
const HITS_PER_SECOND = 1_000 / WINDOW_MS;

let limitersOpened = 0;

/** A limiter with the options that all benchmarks of tidegate share. */
export function openLimiter(policy: Policy, keysMax: number, clock?: Clock): Limiter {
  return createLimiter({
    name: `bench-${limitersOpened++}`,
    policy,
    maxKeys: keysMax,
    ...(clock && { clock }),
  });
}

class Tidegate implements Subject {
  readonly nextSlot: (() => void) | undefined;
  readonly #limiter: Limiter;

  constructor(limiter: Limiter, nextSlot?: () => void) {
    this.#limiter = limiter;
    this.nextSlot = nextSlot;
  }

  run(keys: Keys): number {
    let allowed = 0;
    let decision: Decision | undefined;
    for (let position = 0; position < keys.length; position++) {
      decision = this.#limiter.check(keys.key(position));
      if (decision.allowed) allowed++;
    }
    lastDecision.value = decision;
    return allowed;
  }

  keysHeld(): number {
    return this.#limiter.status().keys;
  }

  close(): void {
    this.#limiter.close();
  }
}

/** What one subject per policy needs to know: the policy that says about the same in its terms. */
function openWith(policyOf: (options: SubjectOptions) => Policy): OpenSubject {
  return (options) => new Tidegate(openLimiter(policyOf(options), options.keysMax));
}

export const openFixedWindow: OpenSubject = openWith(({ limit }) =>
  fixedWindow({ limit, windowMs: WINDOW_MS }),
);

export const openSlidingWindow: OpenSubject = openWith(({ limit }) =>
  slidingWindow({ limit, windowMs: WINDOW_MS, slots: SLIDING_SLOTS }),
);

/** A sliding window that is told the time. */
export function openEverySlot({ limit, keysMax }: SubjectOptions): Subject {
  let nowMs = 0;
  const policy = slidingWindow({ limit, windowMs: WINDOW_MS, slots: SLIDING_SLOTS });
  return new Tidegate(openLimiter(policy, keysMax, { now: () => nowMs }), () => {
    nowMs += WINDOW_MS / SLIDING_SLOTS;
  });
}

export const openSlidingLog: OpenSubject = openWith(({ limit }) =>
  slidingLog({ limit: Math.min(limit, SLOW_LIMIT_MAX), windowMs: WINDOW_MS }),
);

export const openTokenBucket: OpenSubject = openWith(({ limit }) =>
  tokenBucket({ capacity: Math.min(limit, SLOW_LIMIT_MAX), refillPerSecond: HITS_PER_SECOND }),
);

export const openLeakyBucket: OpenSubject = openWith(({ limit }) =>
  leakyBucket({ capacity: Math.min(limit, SLOW_LIMIT_MAX), leakPerSecond: HITS_PER_SECOND }),
);

export const openConcurrency: OpenSubject = openWith(({ limit }) => concurrency({ limit }));
