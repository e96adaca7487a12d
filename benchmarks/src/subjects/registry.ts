/**
 * All subjects by name.
 *
 * A process loads only the subjects it measures, so that no package adds to another's memory.
 */

import type { OpenSubject } from "./subject.ts";

/** The policies of tidegate; the first is the default one, which the peers are compared with. */
export const TIDEGATE_SUBJECTS = [
  "tidegate fixedWindow",
  "tidegate slidingWindow",
  "tidegate slidingLog",
  "tidegate tokenBucket",
  "tidegate leakyBucket",
  "tidegate concurrency",
] as const;

/** A sliding window that is told what time it is, so that each of its slots can be filled. */
export const EVERY_SLOT = "tidegate slidingWindow, every slot used";

/** What people use today. */
export const PEER_LIMITERS = [
  "express-rate-limit",
  "rate-limiter-flexible",
  "@fastify/rate-limit",
  "koa-ratelimit",
] as const;

/** What people would write by hand. */
export const PLAIN_MAP = "plain Map";

/** Stands beside the others to be subtracted from them. */
export const KEY_MAKING = "key making";

/** The name under which a subject appears in reports. */
export type SubjectName =
  | (typeof TIDEGATE_SUBJECTS)[number]
  | typeof EVERY_SLOT
  | (typeof PEER_LIMITERS)[number]
  | typeof PLAIN_MAP
  | typeof KEY_MAKING;

const SUBJECTS: Readonly<Record<SubjectName, () => Promise<OpenSubject>>> = {
  "tidegate fixedWindow": async () => (await import("./tidegate.ts")).openFixedWindow,
  "tidegate slidingWindow": async () => (await import("./tidegate.ts")).openSlidingWindow,
  "tidegate slidingLog": async () => (await import("./tidegate.ts")).openSlidingLog,
  "tidegate tokenBucket": async () => (await import("./tidegate.ts")).openTokenBucket,
  "tidegate leakyBucket": async () => (await import("./tidegate.ts")).openLeakyBucket,
  "tidegate concurrency": async () => (await import("./tidegate.ts")).openConcurrency,
  [EVERY_SLOT]: async () => (await import("./tidegate.ts")).openEverySlot,
  "express-rate-limit": async () => (await import("./express-rate-limit.ts")).openExpressRateLimit,
  "rate-limiter-flexible": async () =>
    (await import("./rate-limiter-flexible.ts")).openRateLimiterFlexible,
  "@fastify/rate-limit": async () => (await import("./fastify-rate-limit.ts")).openFastifyRateLimit,
  "koa-ratelimit": async () => (await import("./koa-ratelimit.ts")).openKoaRatelimit,
  [PLAIN_MAP]: async () => (await import("./plain-map.ts")).openPlainMap,
  [KEY_MAKING]: async () => (await import("./key-making.ts")).openKeyMaking,
};

/** Loads the package of a subject and returns what builds it. */
export async function loadSubject(name: SubjectName): Promise<OpenSubject> {
  return await SUBJECTS[name]();
}
