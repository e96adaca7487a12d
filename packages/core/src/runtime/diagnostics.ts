/**
 * The channels that operators can subscribe to, through Node's own `node:diagnostics_channel`.
 *
 * A channel without subscribers costs one comparison. Subscribers run inside the request, so they
 * should be quick. What they throw does not reach the request; Node raises it afterwards as an
 * uncaught exception.
 */

import { channel } from "node:diagnostics_channel";
import type { EventSeverity } from "../base/cluster-events.ts";
import type { Decision } from "../base/decision.ts";

/** Names of the channels to subscribe to. */
export const CHANNELS: {
  readonly decision: string;
  readonly pressure: string;
  readonly cluster: string;
} = Object.freeze({
  decision: "tidegate:decision",
  pressure: "tidegate:pressure",
  cluster: "tidegate:cluster",
});

/** Published on `tidegate:decision` for every `check` and `charge`. */
export interface DecisionEvent {
  readonly limiter: string;
  readonly key: string | Uint8Array;
  readonly cost: number;
  readonly decision: Decision;
  /** False where the caller does not refuse what the decision refuses, as in a dry run. */
  readonly enforced: boolean;
}

/**
 * Published on `tidegate:pressure`, at most once a second, when keys that still count were evicted.
 */
export interface PressureEvent {
  readonly limiter: string;
  readonly keys: number;
  readonly maxKeys: number;
  /** Keys evicted since the limiter was created that this process had counted itself. */
  readonly evictedLive: number;
  /** Of those, keys that were being refused. */
  readonly evictedRefused: number;
  /** Resets, blocks and penalties evicted since the limiter was created. */
  readonly evictedNotes: number;
  /** Hits allowed and not counted since the limiter was created, because no key could be evicted. */
  readonly uncounted: number;
}

/** Published on `tidegate:cluster` when a problem between replicas begins or ends. */
export interface ClusterEvent {
  readonly namespace: string;
  /** The id of this replica. */
  readonly replica: string;
  /** What it is about: a stable name, such as `TIDEGATE_PARTITIONED`. */
  readonly code: string;
  /** `info` when something works again, `error` when limits are not shared or counts are lost. */
  readonly severity: EventSeverity;
  /** A sentence for operators. */
  readonly message: string;
}

interface Channel<Event> {
  readonly hasSubscribers: boolean;
  publish(event: Event): void;
}

export const decisions: Channel<DecisionEvent> = channel(CHANNELS.decision);
export const pressure: Channel<PressureEvent> = channel(CHANNELS.pressure);
export const clusterEvents: Channel<ClusterEvent> = channel(CHANNELS.cluster);
