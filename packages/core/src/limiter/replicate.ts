/**
 * Finds the store of a replicated limiter: the one that a closed limiter of the same identity has
 * left, or a new one.
 */

import { longestLifeMs } from "../policies/bounds.ts";
import type { Policy } from "../policies/policy.ts";
import { limiterIdentity, ReplicatedLimiter } from "../replication/limiters/replicated-limiter.ts";
import type { Replicator } from "../replication/replicator.ts";
import type { RuleSection } from "../store/shapes/make-rule.ts";
import { Store } from "../store/store.ts";
import { random32 } from "./engine.ts";
import type { ResolvedLimiterOptions } from "./limiter-options.ts";

export function replicatedLimiterOf(
  replicator: Replicator,
  { name, policies, maxKeys }: ResolvedLimiterOptions,
  sections: readonly RuleSection[],
): ReplicatedLimiter {
  const { replicatedLimiters, replicas, publisher, rejections, seal, replayGuard } = replicator;
  const meanings = sections.map(({ meaning }) => meaning);
  const identity = limiterIdentity(name, meanings);
  const keepMs = replayGuard.rememberedMs(longestLifeMs(policies));
  const left = replicatedLimiters.find(identity.low, identity.high);
  if (left !== undefined) {
    left.store.handover.continueWithin({ keysMax: maxKeys, keepMs });
    return left;
  }
  const store: Store = new Store(sections, {
    ...{ replicas, keysMax: maxKeys, keepMs, seed: random32() },
    announcer: publisher,
    dropped: (why) => rejections.part(why),
    evicted: (component) => replicated.keepEvicted(component),
  });
  const kinds = policies.map(inWords);
  const replicated: ReplicatedLimiter = new ReplicatedLimiter({
    name,
    identity,
    store,
    kinds,
    nameTag: seal.nameTag(name),
  });
  return replicated;
}

function inWords(policy: Policy): string {
  if (policy.kind === "concurrency") return policy.kind;
  if ("perSecond" in policy) return `${policy.kind} of ${policy.perSecond} a second`;
  const { kind, windowMs } = policy;
  const calendar = "calendar" in policy ? policy.calendar : null;
  return `${kind} of ${calendar === null ? `${windowMs} ms` : `a calendar ${calendar.unit}`}`;
}
