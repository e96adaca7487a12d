/**
 * Passes on what others say that they do not hear, in rounds.
 *
 * About two of those who could help one that is deaf to another do so, others in the next round: not
 * everybody who could has what is missing. Anybody can name a few replicas in every heartbeat, so a
 * round looks at each name in a time that depends neither on how many replicas there are nor on how
 * many frames are kept, goes on in the next turn when it has taken long enough, and ends when it has
 * passed on enough for all.
 */

import type { Member } from "../membership/member.ts";
import type { Membership } from "../membership/membership.ts";
import { halvesOf } from "../membership/replica-id.ts";
import type { FrameSender } from "../publish/frame-sender.ts";
import type { Answer } from "../publish/publisher.ts";
import { Slicer, type Slices } from "../slicer.ts";
import type { RecentFrames } from "./recent-frames.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** How long a replica may help itself before others pass on what it cannot hear. */
const AFTER_MS = 500;
const SPREAD_MS = 300;
/** How many replicas should pass on the same. */
const HELPERS = 2;
/** About how many bytes a round passes on: less than transports let wait, as there is more to say. */
const BYTES_MAX = 256 * 1024;
/** What a frame or a question costs besides. */
const EACH_BYTES = 128;

export interface RelayOptions {
  readonly members: Pick<Membership, "all" | "find">;
  readonly recent: RecentFrames;
  readonly random: () => number;
  readonly answer: (answer: Answer) => void;
  /** Whether an answer is still being written: another would only wait behind it. */
  readonly isAnswering: () => boolean;
  readonly sender: Pick<FrameSender, "ask" | "publish">;
}

export class FrameRelay {
  readonly #options: RelayOptions;
  /** It never waits: what the transport does not take will be named again. */
  readonly #slicer = new Slicer(() => false);
  #dueAtMs = NEVER;
  /** What the round may still pass on. */
  #leftBytes = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** When the next round begins. */
  get dueAtMs(): number {
    return this.#dueAtMs;
  }

  /** Somebody has named whom it does not hear: there is a round soon, unless one is under way. */
  named(now: number): void {
    if (this.#dueAtMs !== NEVER || !this.#slicer.isIdle) return;
    this.#dueAtMs = now + AFTER_MS + Math.floor(this.#options.random() * SPREAD_MS);
  }

  /** Does what is due. */
  work(now: number): void {
    if (now < this.#dueAtMs) return;
    this.#dueAtMs = NEVER;
    this.#slicer.run(this.#round(now));
  }

  stop(): void {
    this.#slicer.stop();
  }

  *#round(now: number): Slices {
    const { members, random } = this.#options;
    const alive = Array.from(members.all()).filter((member) => member.isAlive);
    const { unable, deaf } = yield* survey(alive);
    this.#leftBytes = BYTES_MAX;
    // From anyone on, as those who are too many for one round have to have their turn in another.
    const first = Math.floor(random() * deaf.length);
    for (const one of [...deaf.slice(first), ...deaf.slice(0, first)]) {
      for (const [id, number] of one.lagReports.named) {
        const from = members.find(id);
        if (from === undefined || from === one) continue;
        const able = alive.length - (unable.get(id) ?? 0);
        // All those, and this one.
        if (random() < HELPERS / (able + 1)) this.#help(one, number, from, now);
        if (this.#leftBytes <= 0) return;
        yield;
      }
    }
  }

  /** Passes on frames of one replica, which another has heard up to a number, to that one. */
  #help(deaf: Member, number: number, from: Member, now: number): void {
    const { recent, sender, answer, isAnswering } = this.#options;
    const newest = recent.newest(from.id, number, from.isAlive);
    // Those who are gone say nothing new, so everybody who has missed them takes turns.
    const { lagReports } = from.isAlive ? deaf : from;
    if (!lagReports.isWorthAgain(from.id, number, newest, now, AFTER_MS)) return;
    const isStuck = from.isAlive && from.sent > number && deaf.lagReports.isStuckOn(from.id);
    const frames = recent.after(from.id, number, from.isAlive);
    for (const frame of this.#some(frames, isStuck)) sender.publish(frame, deaf.id);
    if (isStuck) {
      // The first that is missing is not kept any more; what answers this will be, and says it all.
      this.#leftBytes -= EACH_BYTES;
      sender.ask({ ...halvesOf(from.id), since: number, others: false });
    } else if (!from.isAlive && from.frames.last > number && !isAnswering()) {
      // Who is gone cannot be asked for what is older than the frames that are kept.
      this.#leftBytes -= EACH_BYTES;
      const since = Number.POSITIVE_INFINITY;
      answer({ since, to: deaf.id, others: [from], levels: false, toNewcomer: false });
    }
  }

  /** As many of the oldest, or of the newest, as the round has bytes left for. */
  #some(frames: readonly Uint8Array[], isNewest: boolean): readonly Uint8Array[] {
    let count = 0;
    for (; count < frames.length && this.#leftBytes > 0; count++) {
      const at = isNewest ? frames.length - 1 - count : count;
      this.#leftBytes -= EACH_BYTES + frames[at]!.length;
    }
    return isNewest ? frames.slice(frames.length - count) : frames.slice(0, count);
  }
}

interface Survey {
  /** How many cannot pass on what one says: who names it, and who it is. */
  readonly unable: Map<string, number>;
  /** Who names somebody. */
  readonly deaf: Member[];
}

function* survey(alive: readonly Member[]): Generator<undefined, Survey> {
  const unable = new Map<string, number>();
  const deaf: Member[] = [];
  for (const member of alive) {
    const { named } = member.lagReports;
    if (named.size > 0) deaf.push(member);
    for (const other of new Set([member.id, ...named.keys()])) {
      unable.set(other, (unable.get(other) ?? 0) + 1);
    }
    yield;
  }
  return { unable, deaf };
}
