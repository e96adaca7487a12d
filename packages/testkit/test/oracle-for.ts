/** The reference that answers for a golden example. */

import {
  bucketOracle,
  calendarOracle,
  fixedWindowOracle,
  type GoldenPolicy,
  type Oracle,
  slidingLogOracle,
  slidingWindowOracle,
} from "../src/index.ts";

const MINUTE = 60_000;

export function oracleFor(policy: GoldenPolicy): Oracle {
  switch (policy.kind) {
    case "fixedWindow":
      if ("windowMs" in policy) return fixedWindowOracle(policy);
      return calendarOracle({
        limit: policy.limit,
        windowOf: (ms) => {
          const startsAtMs = ms - (ms % MINUTE);
          return [startsAtMs, startsAtMs + MINUTE];
        },
      });
    case "slidingWindow":
      return slidingWindowOracle(policy);
    case "slidingLog":
      return slidingLogOracle(policy);
    case "tokenBucket":
      return bucketOracle({ capacity: policy.capacity, perSecond: policy.refillPerSecond });
    case "leakyBucket": {
      const { capacity, leakPerSecond: perSecond, maxWaitMs } = policy;
      return bucketOracle(
        maxWaitMs === undefined ? { capacity, perSecond } : { capacity, perSecond, maxWaitMs },
      );
    }
  }
}
