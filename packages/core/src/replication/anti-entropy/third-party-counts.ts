/**
 * What the sender of a frame says of other replicas, and what an answer covers once all of it is there.
 *
 * Nobody can say what another has counted but of one that is gone, and only in an answer that names it
 * first. What another *holds*, nobody else can say at all: places that were seen released are forgotten.
 */

import { NOBODY, type Replicas } from "../../store/replicas/replicas.ts";
import type { Heard, Page } from "../../wire/repair-sections.ts";
import type { ClusterClock } from "../clock/cluster-clock.ts";
import type { Member } from "../membership/member.ts";
import type { Membership } from "../membership/membership.ts";
import { idOf } from "../membership/replica-id.ts";
import type { FramesKnown } from "../receive/received-frames.ts";

/** How long the next part of an answer may take. */
const PART_MS = 500;

export interface ThirdPartyCountsOptions {
  readonly replicas: Replicas;
  readonly members: Membership;
  readonly clock: ClusterClock;
}

export class ThirdPartyCounts {
  readonly #options: ThirdPartyCountsOptions;
  /** Replicas that the sender speaks for, and which of their frames it knows. */
  readonly #others = new Map<string, FramesKnown>();

  constructor(options: ThirdPartyCountsOptions) {
    this.#options = options;
  }

  /** Begins with another frame. */
  begin(): void {
    this.#others.clear();
  }

  /** The sender speaks for a replica that cannot do so itself. */
  hear(heard: Heard, sentAtMs: number): void {
    const { members, replicas, clock } = this.#options;
    const id = idOf(heard.low, heard.high);
    const now = clock.now();
    if (id === replicas.selfId) {
      this.#others.set(id, heard);
      return;
    }
    const offsetMs = sentAtMs - heard.clockMs;
    const member = members.mention(id, now, now - heard.silentMs, offsetMs);
    if (member === undefined || member.index >= NOBODY) return;
    this.#others.set(id, heard);
    if (!member.isHeard) replicas.setOffset(member.index, offsetMs);
  }

  /** The number of a replica that the sender may speak for. */
  find(id: string): number | undefined {
    return this.#others.has(id) ? this.#options.members.find(id)?.index : undefined;
  }

  /**
   * Once all of an answer is there, nothing is missing any more of what it is about. Returns whether its
   * sender has said then all that it knows of others.
   */
  cover(member: Member, page: Page): boolean {
    const { replicas, members, clock } = this.#options;
    const others = member.parts.hear(page, this.#others);
    member.answeringUntilMs = others === undefined ? clock.now() + PART_MS : 0;
    if (others === undefined) return false;
    // One that has been overtaken has not been read as a whole.
    const isNews = page.upTo > member.frames.last;
    if (isNews && page.hasAllHeld) replicas.setHeldSince(member.index, page.upTo);
    member.frames.cover(page.since, page.upTo);
    for (const [id, known] of others) {
      const other = members.find(id);
      // One that has spoken for itself meanwhile has not been believed about by then, and says more.
      if (other?.isAlive === false) other.frames.join(known);
    }
    // Who speaks for others names all that it knows, and so this replica.
    return others.has(replicas.selfId);
  }
}
