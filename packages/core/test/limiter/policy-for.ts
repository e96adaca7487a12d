/** The policy that a golden example describes. */

import type { GoldenPolicy } from "@tidegate/testkit";
import {
  fixedWindow,
  leakyBucket,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";

export function policyFor({ kind, ...options }: GoldenPolicy): Policy {
  switch (kind) {
    case "fixedWindow":
      return fixedWindow(options as Parameters<typeof fixedWindow>[0]);
    case "slidingWindow":
      return slidingWindow(options as Parameters<typeof slidingWindow>[0]);
    case "slidingLog":
      return slidingLog(options as Parameters<typeof slidingLog>[0]);
    case "tokenBucket":
      return tokenBucket(options as Parameters<typeof tokenBucket>[0]);
    case "leakyBucket":
      return leakyBucket(options as Parameters<typeof leakyBucket>[0]);
  }
}
