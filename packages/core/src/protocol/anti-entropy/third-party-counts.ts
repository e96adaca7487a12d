/**
 * What the sender of a reply reports on other replicas, and what the reply covers once it is
 * complete.
 *
 * A third party may report the counts of a dead replica only, and only in a reply that names the
 * replica first. It may not report the permits that another replica *holds*: replicas forget
 * permits that they saw released. The header of gap-repair.ts gives the reasons.
 */

import { NO_REPLICA } from "../../store/replicas/replicas.ts";
import type { ReplicaReport, ReplyPart } from "../../wire/control-sections.ts";
import type { Member } from "../membership/member.ts";
import { idOf } from "../membership/replica-id.ts";
import type { FramesKnown } from "../receive/received-frames.ts";
import type { ReplicaContext } from "../replica-context.ts";

/** How long the next part of a reply may take. */
const PART_MS = 500;

export class ThirdPartyCounts {
  readonly #context: ReplicaContext;
  /** The replicas that this frame reports on, and which of their frames its sender has. */
  readonly #others = new Map<string, FramesKnown>();

  constructor(context: ReplicaContext) {
    this.#context = context;
  }

  /** A new frame begins. */
  begin(): void {
    this.#others.clear();
  }

  /** The sender reports on a dead replica. */
  addReport(report: ReplicaReport, sentAtMs: number): void {
    const { members, replicas, clock } = this.#context;
    const id = idOf(report.low, report.high);
    const now = clock.now();
    if (id === replicas.selfId) {
      this.#others.set(id, report);
      return;
    }
    const offsetMs = sentAtMs - report.clockMs;
    // Our offset to the sender is wrong if one of the two was suspended, so its part in this is none.
    const lastSentMs = report.clockMs - report.silentMs;
    const member = members.reported(id, now, now - report.silentMs, offsetMs, lastSentMs);
    if (member === undefined || member.index >= NO_REPLICA) return;
    this.#others.set(id, report);
    if (!member.isReceivedHere) replicas.setOffset(member.index, offsetMs);
  }

  /** The index of a replica that this frame may report on. */
  find(id: string): number | undefined {
    return this.#others.has(id) ? this.#context.members.find(id)?.index : undefined;
  }

  /**
   * A part of a reply has been merged. Once all parts have arrived, the gap that the reply is about
   * is closed. Returns whether its sender has then reported on all replicas that it knows.
   */
  cover(member: Member, part: ReplyPart): boolean {
    const { replicas, members, clock } = this.#context;
    const others = member.parts.add(part, this.#others);
    member.replyUntilMs = others === undefined ? clock.now() + PART_MS : 0;
    if (others === undefined) return false;
    // A reply that newer frames have overtaken has not been merged as a whole.
    const isNews = part.upTo > member.frames.last;
    if (isNews && part.hasAllPermits) replicas.setHeldSince(member.index, part.upTo);
    member.frames.cover(part.since, part.upTo);
    for (const [id, known] of others) {
      const other = members.find(id);
      // A replica that has published meanwhile is alive, and its own frames say more.
      if (other?.isAlive === false) other.frames.join(known);
    }
    // A reply about dead replicas names all replicas that its sender knows, so also this one.
    return others.has(replicas.selfId);
  }
}
