/**
 * What a process can be asked about the others: a picture of this moment, made when somebody asks.
 */

import type { Replicator } from "../replication/replicator.ts";

/** Another process of the cluster. */
export interface OtherReplica {
  readonly replica: string;
  readonly isAlive: boolean;
  /** How long nothing has been heard of it. */
  readonly silentMs: number;
  /** How far its clock is ahead of this one's. */
  readonly clockAheadMs: number;
  /** Decisions of its limiters since it started, as far as it has said. */
  readonly allowed: number;
  readonly refused: number;
  /** Whether it has told counts that have not arrived yet. */
  readonly isBehind: boolean;
}

/** How a process gets on with the others. */
export interface ClusterStatus {
  /** The id of this process, drawn when it joined, and anew where it has to take another. */
  readonly replica: string;
  readonly namespace: string;
  readonly peers: readonly OtherReplica[];
  /** Whether it has heard the others out, or has waited long enough. */
  readonly isReady: boolean;
  /** Whether the transport says that it works. */
  readonly isConnected: boolean;
  /** Whether it is cut off from others that it knows, by silence, by its transport or by clocks. */
  readonly degraded: boolean;
  /** How often that has begun since it joined. */
  readonly cuts: number;
  /** What is added to this process's clock to have the cluster's. */
  readonly clockOffsetMs: number;
  /**
   * How old this replica's knowledge is of what a live replica has counted: all that any of them
   * counted so many milliseconds ago, or earlier, is merged. Up to about a second where all is well.
   */
  readonly lagMs: number;
  /** Whether others count faster than this process can merge, now or within the last ten seconds. */
  readonly isOverloaded: boolean;
  readonly frames: {
    readonly sent: number;
    readonly sentBytes: number;
    /** Frames that the transport did not take. */
    readonly dropped: number;
    readonly heard: number;
    readonly heardBytes: number;
    /** Frames that were not believed, by why. */
    readonly refused: Readonly<Record<string, number>>;
  };
  /** What frames said of single keys and limiters that was not merged, by why. */
  readonly refused: Readonly<Record<string, number>>;
  /** How often something went wrong, and what it was the last time; that it is over is none. */
  readonly troubles: number;
  readonly lastTrouble: string | null;
}

/** What there is to say of a replica, but for what has gone wrong. */
export function statusOf(
  replicator: Replicator,
): Omit<ClusterStatus, "namespace" | "troubles" | "lastTrouble"> {
  const {
    members,
    replicas,
    clock,
    initialSync,
    sender,
    receiver,
    rejections,
    partitionMonitor,
    overload,
  } = replicator;
  const now = clock.now();
  const others = Array.from(members.all(), (member) => ({
    replica: member.id,
    isAlive: member.isAlive,
    silentMs: Math.max(0, now - member.heardAtMs),
    clockAheadMs: -(replicas.offsetMs(member.index) + clock.originMs),
    allowed: member.allowed,
    refused: member.refused,
    isBehind: member.isBehind,
  }));
  const lags = Array.from(members.all(), ({ isAlive, lag, index }) => {
    if (!isAlive || lag === undefined) return 0;
    return now - (lag.mergedClockMs + replicas.offsetMs(index));
  });
  return {
    replica: replicas.selfId,
    peers: others,
    isReady: initialSync.isOver,
    isConnected: sender.isConnected,
    degraded: partitionMonitor.isCut,
    cuts: partitionMonitor.cuts,
    clockOffsetMs: clock.offsetMs,
    lagMs: Math.max(0, ...lags),
    isOverloaded: overload.isGoingOn,
    frames: {
      sent: sender.frames,
      sentBytes: sender.bytes,
      dropped: sender.dropped,
      heard: receiver.frames,
      heardBytes: receiver.bytes,
      refused: { ...rejections.frames },
    },
    refused: { ...rejections.parts },
  };
}
