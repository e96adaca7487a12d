/**
 * Passes on what others say that they do not hear, in rounds.
 *
 * About two of those who could help one that is deaf to another do so, others in the next round: not
 * everybody who could has what is missing. Anybody can name a few replicas in every heartbeat, so a
 * round looks at each name in a time that depends neither on how many replicas there are nor on how
 * many frames are kept, and goes on in the next turn when it has taken long enough.
 */

import type { Member, Members } from "./members.ts";
import type { RecentFrames } from "./recent-frames.ts";
import { halvesOf } from "./replica-id.ts";
import type { Sender } from "./sender.ts";
import { Slicer, type Slices } from "./slicer.ts";
import type { Answer } from "./teller.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** How long a replica may help itself before others pass on what it cannot hear. */
const AFTER_MS = 500;
const SPREAD_MS = 300;
/** How many replicas should pass on the same. */
const HELPERS = 2;
/** The most bytes of a round, in which a frame costs so many more: anybody can name a few, for many. */
const BYTES_MAX = 4 * 1024 * 1024;
const FRAME_BYTES = 1_024;

export interface RelayOptions {
  readonly members: Pick<Members, "all" | "find">;
  readonly recent: RecentFrames;
  readonly random: () => number;
  readonly answer: (answer: Answer) => void;
  /** Whether an answer is still being written: another would only wait behind it. */
  readonly isAnswering: () => boolean;
  readonly sender: Pick<Sender, "ask" | "publish">;
}

export class RelayRounds {
  readonly #options: RelayOptions;
  /** It never waits: what the transport does not take will be named again. */
  readonly #slicer = new Slicer(() => false);
  #dueAtMs = NEVER;

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
    const unable = yield* countUnable(alive);
    // From anyone on, as those that are too many for one round have to have their turn in another.
    const first = Math.floor(random() * alive.length);
    let leftBytes = BYTES_MAX;
    for (const deaf of [...alive.slice(first), ...alive.slice(0, first)]) {
      for (const [id, number] of deaf.deafness.named) {
        const from = members.find(id);
        if (from === undefined || from === deaf) continue;
        const able = alive.length - (unable.get(id) ?? 0);
        // All those, and this one.
        if (random() < HELPERS / (able + 1)) leftBytes -= this.#help(deaf, number, from, now);
        if (leftBytes <= 0) return;
        yield;
      }
    }
  }

  /**
   * Passes on frames of one replica, which another has heard up to a number, to that one.
   *
   * @returns what that took of the round's bytes
   */
  #help(deaf: Member, number: number, from: Member, now: number): number {
    const { recent, sender, answer, isAnswering } = this.#options;
    const newest = recent.newest(from.id, number, from.isAlive);
    // Those who are gone say nothing new, so everybody who has missed them takes turns.
    const { deafness } = from.isAlive ? deaf : from;
    if (!deafness.isWorthAgain(from.id, number, newest, now, AFTER_MS)) return 0;
    let bytes = 0;
    for (const frame of recent.after(from.id, number, from.isAlive)) {
      sender.publish(frame, deaf.id);
      bytes += FRAME_BYTES + frame.length;
    }
    if (from.isAlive) {
      // If the first that is missing is not kept any more, what answers this will be, and says it all.
      const isStuck = from.sent > number && deaf.deafness.isStuckOn(from.id);
      if (isStuck) sender.ask({ ...halvesOf(from.id), since: number, others: false });
    } else if (from.frames.last > number && !isAnswering()) {
      // Who is gone cannot be asked for what is older than the frames that are kept.
      const since = Number.POSITIVE_INFINITY;
      answer({ since, to: deaf.id, others: [from], levels: false, toNewcomer: false });
    }
    return bytes;
  }
}

/** How many cannot pass on what one says: who names it, and who it is. */
function* countUnable(alive: readonly Member[]): Generator<undefined, Map<string, number>> {
  const unable = new Map<string, number>();
  for (const { id, deafness } of alive) {
    for (const other of new Set([id, ...deafness.named.keys()])) {
      unable.set(other, (unable.get(other) ?? 0) + 1);
    }
    yield;
  }
  return unable;
}
