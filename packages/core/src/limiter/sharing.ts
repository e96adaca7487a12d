/**
 * What a limiter of a cluster counts in: what one of the same identity has left when it was closed, or
 * something new.
 */

import { longestLifeMs } from "../policies/life.ts";
import type { Policy } from "../policies/policy.ts";
import { Share, shareIdentity } from "../replication/limiters/share.ts";
import type { Replicator } from "../replication/replicator.ts";
import type { RuleSection } from "../store/shapes/make-rule.ts";
import { Store } from "../store/store.ts";
import type { ResolvedLimiterOptions } from "./limiter-options.ts";
import { random32 } from "./workings.ts";

export function shareOf(
  replicator: Replicator,
  { name, policies, maxKeys }: ResolvedLimiterOptions,
  sections: readonly RuleSection[],
): Share {
  const { shares, replicas, teller, refusals, seal, freshness } = replicator;
  const meanings = sections.map(({ meaning }) => meaning);
  const identity = shareIdentity(name, meanings);
  const keepMs = freshness.rememberedMs(longestLifeMs(policies));
  const left = shares.find(identity.low, identity.high);
  if (left !== undefined) {
    left.store.handover.goOnWithin({ keysMax: maxKeys, keepMs });
    return left;
  }
  const store: Store = new Store(sections, {
    ...{ replicas, keysMax: maxKeys, keepMs, seed: random32() },
    announcer: teller,
    dropped: (why) => refusals.part(why),
    evicted: (component) => share.giveUp(component),
  });
  const kinds = policies.map(inWords);
  const share: Share = new Share({ name, identity, store, kinds, nameTag: seal.nameTag(name) });
  return share;
}

function inWords(policy: Policy): string {
  if (policy.kind === "concurrency") return policy.kind;
  if ("perSecond" in policy) return `${policy.kind} of ${policy.perSecond} a second`;
  const { kind, windowMs } = policy;
  const calendar = "calendar" in policy ? policy.calendar : null;
  return `${kind} of ${calendar === null ? `${windowMs} ms` : `a calendar ${calendar.unit}`}`;
}
