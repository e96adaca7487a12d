/**
 * The sections beside counts: heartbeats, limiters, former ids, echoes, sync requests, and what a
 * sync reply covers.
 *
 *     heartbeat      | is ready | joined for | checksum 4 | allowed | refused |
 *                    | behind: how many | replica 8 | number | … | unsent age |
 *     limiters       | name 8 | identity 8 | policies | limit … | … |
 *     former         | replica 8 | up to |
 *     echo           | replica 8 | clock | held |
 *     sync request   | replica 8 | since | others |
 *     replica report | replica 8 | up to | clock | silent | above 4 |
 *     reply part     | since | up to | reply number | part | parts | has all permits |
 *
 * All of them are short: `BEHIND_MAX` and `POLICIES_MAX` bound the longest. A reader of broken
 * input sets `reader.isBroken`.
 */

import {
  type FrameReader,
  type FrameWriter,
  type Halves,
  SECTIONS,
  VARINT_BYTES_MAX,
} from "./frame.ts";

/** How many replicas a heartbeat names that its sender is behind on. */
export const BEHIND_MAX = 4;
const HEARTBEAT_BYTES_MAX = 1 + 8 + 4 + 8 + 8 + 1 + BEHIND_MAX * 16 + 8;

/** A replica, and the number of its last frame of counts before the first that is missing. */
export interface Behind extends Halves {
  readonly number: number;
}

/** What a replica says about itself once a second, and which replicas it is behind on. */
export interface Heartbeat {
  /** Whether the sender's initial sync is over. */
  readonly isReady: boolean;
  /** How long ago the sender called `joinCluster`: its process may be older. */
  readonly joinedForMs: number;
  /** A checksum of the membership as the sender knows it, and of its frames of dead replicas. */
  readonly checksum: number;
  /** Hits that the sender has allowed and refused since it started. */
  readonly allowed: number;
  readonly refused: number;
  readonly behind: readonly Behind[];
  /** For how long the oldest count has waited that is in no frame up to this one's number. */
  readonly unsentAgeMs: number;
}

export function writeHeartbeat(writer: FrameWriter, heartbeat: Heartbeat): void {
  if (!writer.beginSection(SECTIONS.heartbeat, HEARTBEAT_BYTES_MAX)) return;
  writer.u8(heartbeat.isReady ? 1 : 0);
  writer.varint(heartbeat.joinedForMs);
  writer.u32(heartbeat.checksum);
  writer.varint(heartbeat.allowed);
  writer.varint(heartbeat.refused);
  const behind = heartbeat.behind.slice(0, BEHIND_MAX);
  writer.u8(behind.length);
  for (const replica of behind) {
    writer.u64(replica);
    writer.varint(replica.number);
  }
  writer.varint(heartbeat.unsentAgeMs);
  writer.endSection();
}

/**
 * Ignores what follows the last field, so a later version can add fields. The reader of such a
 * field must read it only while `reader.left > 0`: an older sender does not write it.
 */
export function readHeartbeat(reader: FrameReader): Heartbeat | undefined {
  const ready = reader.u8();
  const joinedForMs = reader.varint();
  const checksum = reader.u32();
  const allowed = reader.varint();
  const refused = reader.varint();
  const behinds = reader.u8();
  if (ready > 1 || behinds > BEHIND_MAX) reader.isBroken = true;
  const behind: Behind[] = [];
  while (behind.length < behinds && !reader.isBroken) {
    behind.push({ ...reader.u64(), number: reader.varint() });
  }
  const unsentAgeMs = reader.varint();
  if (reader.isBroken) return undefined;
  return { isReady: ready === 1, joinedForMs, checksum, allowed, refused, behind, unsentAgeMs };
}

/** A limiter cannot have more policies; a section with more is refused. */
const POLICIES_MAX = 16;
const LIMITER_BYTES_MAX: number = 8 + 8 + 1 + POLICIES_MAX * VARINT_BYTES_MAX;

/**
 * A limiter of the sender, so that other replicas notice when one name is configured in two ways. A
 * few go with each heartbeat.
 */
export interface WireLimiter {
  /** Stands for its name. */
  readonly name: Halves;
  /** The same for all limiters that count together. */
  readonly identity: Halves;
  /** The limit of each policy. */
  readonly limits: readonly number[];
}

/** Writes limiters, as many as fit. */
export function writeLimiters(writer: FrameWriter, limiters: readonly WireLimiter[]): void {
  if (limiters.length === 0) return;
  if (!writer.beginSection(SECTIONS.limiters, LIMITER_BYTES_MAX)) return;
  for (const { name, identity, limits } of limiters) {
    if (!writer.hasRoom(LIMITER_BYTES_MAX)) break;
    writer.u64(name);
    writer.u64(identity);
    writer.u8(limits.length);
    for (const limit of limits) writer.varint(limit);
  }
  writer.endSection();
}

/** Reads limiters; of a broken section those before the break. */
export function readLimiters(reader: FrameReader): WireLimiter[] {
  const limiters: WireLimiter[] = [];
  while (reader.left > 0) {
    const name = reader.u64();
    const identity = reader.u64();
    const policies = reader.u8();
    if (policies === 0 || policies > POLICIES_MAX) reader.isBroken = true;
    const limits: number[] = [];
    while (limits.length < policies && !reader.isBroken) limits.push(reader.varint());
    if (reader.isBroken) break;
    limiters.push({ name, identity, limits });
  }
  return limiters;
}

/** The id that the sender had before, sent as long as others may take both ids for alive. */
export interface WireFormer extends Halves {
  /** The last frame of counts under that id: its permits up to there are now the sender's. */
  readonly upTo: number;
}

export function writeFormer(writer: FrameWriter, former: WireFormer): void {
  if (!writer.beginSection(SECTIONS.former, 8 + VARINT_BYTES_MAX)) return;
  writer.u64(former);
  writer.varint(former.upTo);
  writer.endSection();
}

export function readFormer(reader: FrameReader): WireFormer | undefined {
  return ended(reader, { ...reader.u64(), upTo: reader.varint() });
}

/** What the replica that it names needs to measure how long frames travel between the two. */
export interface Echo extends Halves {
  /** The raw clock of that replica in the latest of its frames that the sender has received. */
  readonly clockMs: number;
  /** How long ago that frame arrived. */
  readonly heldMs: number;
}

export function writeEcho(writer: FrameWriter, echo: Echo): void {
  if (!writer.beginSection(SECTIONS.echo, 8 + 2 * VARINT_BYTES_MAX)) return;
  writer.u64(echo);
  writer.varint(echo.clockMs);
  writer.varint(echo.heldMs);
  writer.endSection();
}

export function readEcho(reader: FrameReader): Echo | undefined {
  return ended(reader, { ...reader.u64(), clockMs: reader.varint(), heldMs: reader.varint() });
}

/** A sync request to a replica. All replicas receive it, so all learn that it was asked. */
export interface SyncRequest extends Halves {
  /** Asks for that replica's counts that changed after this frame. */
  readonly since: number;
  /** Whether to include what the asked replica knows of dead replicas. */
  readonly others: boolean;
}

export function writeSyncRequest(writer: FrameWriter, request: SyncRequest): void {
  if (!writer.beginSection(SECTIONS.syncRequest, 8 + VARINT_BYTES_MAX + 1)) return;
  writer.u64(request);
  writer.varint(request.since);
  writer.u8(request.others ? 1 : 0);
  writer.endSection();
}

export function readSyncRequest(reader: FrameReader): SyncRequest | undefined {
  const replica = reader.u64();
  const since = reader.varint();
  const others = reader.u8();
  if (others > 1) reader.isBroken = true;
  return ended(reader, { ...replica, since, others: others === 1 });
}

/** How far above `upTo` the last frame lies that `above` can name. */
const ABOVE_MAX = 33;

/** Another replica, of which a reply has all counts that its sender knows. */
export interface ReplicaReport extends Halves {
  /** The last of its frames that the sender received without a gap. */
  readonly upTo: number;
  /** What its raw clock shows when the frame is sent, as far as the sender knows. */
  readonly clockMs: number;
  /** For how long nothing of it has been received. */
  readonly silentMs: number;
  /** Which frames the sender received above the gap: bit 0 is frame `upTo + 2`. */
  readonly above: number;
}

/** Returns false if the section does not fit any more. */
export function writeReplicaReport(writer: FrameWriter, report: ReplicaReport): boolean {
  if (!writer.beginSection(SECTIONS.replicaReport, 8 + 3 * VARINT_BYTES_MAX + 4)) return false;
  writer.u64(report);
  writer.varint(report.upTo);
  writer.varint(report.clockMs);
  writer.varint(report.silentMs);
  writer.u32(report.above);
  writer.endSection();
  return true;
}

export function readReplicaReport(reader: FrameReader): ReplicaReport | undefined {
  const replica = reader.u64();
  const upTo = reader.varint();
  const clockMs = reader.varint();
  const silentMs = reader.varint();
  const above = reader.u32();
  // The numbers above must be safe integers too.
  if (upTo > Number.MAX_SAFE_INTEGER - ABOVE_MAX) reader.isBroken = true;
  return ended(reader, { ...replica, upTo, clockMs, silentMs, above });
}

/** More parts than the largest table has; a reply with more is refused. */
const PARTS_MAX = 65_536;
/** The most bytes that the section of a reply part takes. */
export const REPLY_PART_BYTES_MAX: number = 3 + 5 * VARINT_BYTES_MAX + 1;

/**
 * Which part of which reply a frame is. Frames of counts have this section only if several of them
 * share one number, which is in the header.
 *
 * A receiver of all parts knows what the sender knew after frame `upTo`, whatever was lost before.
 * A repeated reply may have other parts, so parts of two replies never mix.
 */
export interface ReplyPart {
  readonly since: number;
  readonly upTo: number;
  /** A number that its sender gives to no other reply. */
  readonly replyNumber: number;
  /** From 0. */
  readonly part: number;
  /** In the last part, how many parts there are; otherwise 0, as that is only known at the end. */
  readonly parts: number;
  /** Whether all permits that the sender holds are in the reply: others have been released. */
  readonly hasAllPermits: boolean;
}

export function writeReplyPart(writer: FrameWriter, part: ReplyPart): void {
  if (!writer.beginSection(SECTIONS.replyPart, 5 * VARINT_BYTES_MAX + 1)) return;
  writer.varint(part.since);
  writer.varint(part.upTo);
  writer.varint(part.replyNumber);
  writer.varint(part.part);
  writer.varint(part.parts);
  writer.u8(part.hasAllPermits ? 1 : 0);
  writer.endSection();
}

export function readReplyPart(reader: FrameReader): ReplyPart | undefined {
  const since = reader.varint();
  const upTo = reader.varint();
  const replyNumber = reader.varint();
  const part = reader.varint();
  const parts = reader.varint();
  const held = reader.u8();
  const isPart = since <= upTo && part < PARTS_MAX && (parts === 0 || parts === part + 1);
  if (!isPart || held > 1) reader.isBroken = true;
  return ended(reader, { since, upTo, replyNumber, part, parts, hasAllPermits: held === 1 });
}

/** What was read, if the section ends here and is not broken. */
function ended<Read>(reader: FrameReader, read: Read): Read | undefined {
  if (reader.left > 0) reader.isBroken = true;
  return reader.isBroken ? undefined : read;
}
