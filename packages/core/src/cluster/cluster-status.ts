/**
 * The status of a process in its cluster: a picture of this moment, made on request.
 */

import type { ReplicaHost } from "../driver/replica-host.ts";

/** Another process of the cluster. */
export interface OtherReplica {
  readonly replica: string;
  readonly isAlive: boolean;
  /** For how long none of its frames has arrived. */
  readonly silentMs: number;
  /** How far its clock is ahead of this one's. */
  readonly clockAheadMs: number;
  /** Decisions of its limiters since it started, by its last heartbeat. */
  readonly allowed: number;
  readonly refused: number;
  /** Whether it has published counts that have not arrived yet. */
  readonly isBehind: boolean;
}

/** How a process and the others of its cluster are doing. */
export interface ClusterStatus {
  /**
   * The id of this process, drawn when it joined. It changes if the process has to take another.
   */
  readonly replica: string;
  readonly namespace: string;
  readonly peers: readonly OtherReplica[];
  /**
   * Whether the counts of the other processes are merged, or it has waited long enough for them.
   */
  readonly isReady: boolean;
  /** Whether the transport is connected, as far as it reports. */
  readonly isConnected: boolean;
  /**
   * Whether it is partitioned from processes that it knows, by silence, by its transport or by
   * clocks.
   */
  readonly degraded: boolean;
  /** How many partitions have begun since it joined. */
  readonly partitions: number;
  /** What is added to this process's clock to have the cluster's time. */
  readonly clockOffsetMs: number;
  /**
   * The lag behind the live processes: everything that any of them counted so many milliseconds
   * ago, or earlier, is merged here. Up to about a second in normal operation.
   */
  readonly lagMs: number;
  /**
   * Whether others count faster than this process can merge, now or within the last ten seconds.
   */
  readonly isOverloaded: boolean;
  readonly frames: {
    readonly sent: number;
    readonly sentBytes: number;
    /** Frames that the transport did not take. */
    readonly dropped: number;
    readonly received: number;
    readonly receivedBytes: number;
    /** Frames that were refused, by reason. */
    readonly refused: Readonly<Record<string, number>>;
  };
  /** Parts of frames, about single keys and limiters, that were not merged, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** How many warnings and errors there were; that something works again is neither. */
  readonly troubles: number;
  readonly lastTrouble: string | null;
}

/** The status of a replica, without its problems. */
export function statusOf({
  replica,
  time,
}: Pick<ReplicaHost, "replica" | "time">): Omit<
  ClusterStatus,
  "namespace" | "troubles" | "lastTrouble"
> {
  const {
    members,
    replicas,
    clock,
    initialSync,
    sender,
    receiver,
    rejections,
    partitionDetector,
    frameQueue,
  } = replica;
  const now = time.read();
  const others = Array.from(members.all(), (member) => ({
    replica: member.id,
    isAlive: member.isAlive,
    silentMs: Math.max(0, now - member.lastReceivedMs),
    clockAheadMs: -(replicas.offsetMs(member.index) + clock.originMs),
    allowed: member.lastHeartbeat?.allowed ?? 0,
    refused: member.lastHeartbeat?.refused ?? 0,
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
    isConnected: sender.transport.isConnected,
    degraded: partitionDetector.isPartitioned,
    partitions: partitionDetector.partitions,
    clockOffsetMs: clock.offsetMs,
    lagMs: Math.max(0, ...lags),
    isOverloaded: frameQueue.isOverloaded,
    frames: {
      sent: sender.frames,
      sentBytes: sender.bytes,
      dropped: sender.dropped,
      received: receiver.frames,
      receivedBytes: receiver.bytes,
      refused: { ...rejections.frames },
    },
    refused: { ...rejections.parts },
  };
}
