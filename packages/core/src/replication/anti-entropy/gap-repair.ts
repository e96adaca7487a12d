/**
 * Finds out what has been missed, asks for it, answers others who ask, and begins the rounds in which
 * is passed on what they cannot hear.
 *
 * Everything waits a random moment first, and is left out if others were quicker. A replica that asks alone
 * is answered alone. The answer to a second one is for all, and a replica that has heard two questions waits
 * for it. So few questions and answers are enough for all when a frame is lost on its way to fifty replicas.
 */

import type { Replicas } from "../../store/replicas/replicas.ts";
import { BEHIND_MAX, type Behind, type Heartbeat } from "../../wire/heartbeat-section.ts";
import type { Asking } from "../../wire/repair-sections.ts";
import type { Member } from "../membership/member.ts";
import type { Membership } from "../membership/membership.ts";
import { halvesOf, idOf } from "../membership/replica-id.ts";
import type { FrameSender } from "../publish/frame-sender.ts";
import type { Answer } from "../publish/publisher.ts";
import type { ControlHandler } from "../receive/control-handler.ts";
import { FrameRelay, type RelayOptions } from "./frame-relay.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** How long a question waits: what is missing may just be late. */
const ASK_AFTER_MS = 20;
const ASK_SPREAD_MS = 60;
/** Until a question is asked again, at first and at most. */
const ASK_AGAIN_MS = 500;
const ASK_AGAIN_MS_MAX = 8_000;
const ANSWER_AFTER_MS = 5;
const ANSWER_SPREAD_MS = 20;
/** The least time between two answers, however many ask. */
const ANSWER_SPACING_MS = 200;
/** Who has been silent for so long is not waited for any more. */
const SILENCE_MS_MAX = 60_000;
/** Until a question is looked at again that would only add to what cannot be read now. */
const ASK_HELD_MS = 200;
/** How long a replica that could not read in time helps itself, before others pass frames on to it. */
const HELPS_ITSELF_MS = 3_000;
/** How many who do not hear this replica are asked at a time. */
const DEAF_MAX = 16;

export interface GapRepairOptions extends RelayOptions {
  readonly replicas: Pick<Replicas, "selfId">;
  readonly members: Membership;
  readonly silentMs: number;
  readonly now: () => number;
  readonly sender: FrameSender;
  readonly listener: Pick<ControlHandler, "isAhead" | "twin">;
  /** Whether frames wait, or have just been dropped, that may say what is missing: requests wait too. */
  readonly isLoaded: (now: number) => boolean;
  /** Tells what is asked for, and when all of it has left. */
  readonly answer: (answer: Answer, done?: () => void) => void;
}

/** An answer that has been begun. */
interface Telling {
  readonly since: number;
  /** A frame of counts up to which all is in it. */
  readonly upTo: number;
  /** The replica that it is for; absent when it is for all. */
  readonly to: string | undefined;
  /** Whether others are spoken for in it. */
  readonly others: boolean;
  readonly beganAtMs: number;
  /** Infinite until it has left. */
  endedAtMs: number;
}

export class GapRepair {
  readonly #options: GapRepairOptions;
  readonly #relays: FrameRelay;
  #answerAtMs = NEVER;
  #answerSince = 0;
  #answerTo: string | undefined;
  #answerOthers = false;
  #answersNewcomer = false;
  /** The answer that was given last, and when it was begun and had left. */
  #telling: Telling | undefined;
  /** When frames were last found to wait that may say what is missing. */
  #loadedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: GapRepairOptions) {
    this.#options = options;
    this.#relays = new FrameRelay(options);
  }

  /** When there is something to do next. */
  get dueAtMs(): number {
    let dueAtMs = Math.min(this.#answerAtMs, this.#relays.dueAtMs);
    for (const { askAtMs } of this.#options.members.all()) dueAtMs = Math.min(dueAtMs, askAtMs);
    return dueAtMs;
  }

  /** Asks everybody for all that they have counted; returns whether anybody has counted anything. */
  askAnew(now: number): boolean {
    const { members, sender } = this.#options;
    let isAnybodyThere = false;
    for (const member of members.all()) {
      if (member.sent === 0) continue;
      isAnybodyThere = true;
      member.forget();
      if (!member.isAlive) continue;
      sender.ask({ ...halvesOf(member.id), since: 0, others: false });
      member.askAtMs = now + ASK_AGAIN_MS;
    }
    return isAnybodyThere;
  }

  /** A frame of this replica has been heard. */
  heard(member: Member, now: number): void {
    if (!member.isBehind) {
      member.askAtMs = NEVER;
      member.asked = 0;
      member.askedByOthers = 0;
    } else if (member.askAtMs === NEVER) {
      member.askAtMs = now + this.#wait(ASK_AFTER_MS, ASK_SPREAD_MS);
    }
  }

  /** Somebody asks somebody for something. */
  asked(from: Member, { low, high, since, others }: Asking, sent: number, now: number): void {
    const { replicas, members } = this.#options;
    const id = idOf(low, high);
    this.#claimed(id, since);
    if (id === replicas.selfId) {
      const isUnderWay = this.#isTelling(from.id, since, others, now);
      if (since <= sent && !isUnderWay) this.#owe(from, since, others, now);
      return;
    }
    const member = members.find(id);
    if (member === undefined || member.askAtMs === NEVER || since > member.frames.last) return;
    // The answer to two is for all.
    if (since === 0 || ++member.askedByOthers < 2) return;
    member.askAtMs = Math.max(member.askAtMs, now + ASK_AGAIN_MS);
  }

  /** A replica has said what it is behind on. */
  heartbeat(from: Member, { behind }: Heartbeat, now: number): void {
    for (const { low, high, number } of behind) this.#claimed(idOf(low, high), number);
    from.lagReports.said(behind);
    from.reachability.hear(behind, this.#options.replicas.selfId);
    if (behind.length > 0) this.#relays.named(now);
  }

  /**
   * Whom this replica cannot hear properly, and up to where it has: first who has more to say, then who
   * has fallen silent, and last who has been so for long, and may not know that nobody hears it.
   */
  behind(now: number): Behind[] {
    const behind: Behind[] = [];
    const silent: Behind[] = [];
    const gone: Behind[] = [];
    // Who is heard is not named: frames that are passed on would only add to the load.
    const helpsItself = this.#isLoaded(now) || now < this.#loadedAtMs + HELPS_ITSELF_MS;
    for (const { id, isBehind, hasLeft, heardAtMs, frames } of this.#options.members.all()) {
      const silenceMs = now - heardAtMs;
      const isSilent = !hasLeft && silenceMs > this.#options.silentMs;
      if (!isSilent && (!isBehind || helpsItself)) continue;
      const isGone = silenceMs >= SILENCE_MS_MAX;
      (isGone ? gone : isBehind ? behind : silent).push({ ...halvesOf(id), number: frames.last });
    }
    // More than fit take turns.
    return [behind, silent, gone].flatMap((some) => this.#turned(some)).slice(0, BEHIND_MAX);
  }

  /** Asks some of those that do not hear this replica, in case they do by now. */
  askTheDeaf(): void {
    const deaf = Array.from(this.#options.members.all()).filter(
      ({ isAlive, reachability }) => isAlive && reachability.isLost,
    );
    for (const { id, frames, reachability } of this.#turned(deaf).slice(0, DEAF_MAX)) {
      const since = frames.last;
      reachability.asked(since);
      this.#options.sender.ask({ ...halvesOf(id), since, others: false });
    }
  }

  /** Gives the answer that is owed, if one is. */
  payDebts(): void {
    if (this.#answerAtMs === NEVER) return;
    this.#answerAtMs = NEVER;
    const since = this.#answerSince;
    const to = this.#answerTo;
    const levels = this.#answerOthers;
    const others = levels ? Array.from(this.#options.members.all()) : [];
    const toNewcomer = this.#answersNewcomer;
    const beganAtMs = this.#options.now();
    const upTo = this.#options.sender.counted;
    const telling = { since, upTo, to, others: levels, beganAtMs, endedAtMs: NEVER };
    this.#telling = telling;
    this.#options.answer({ since, to, others, levels, toNewcomer }, () => {
      telling.endedAtMs = this.#options.now();
    });
  }

  /**
   * Somebody has heard a replica up to a frame. If that is this one and it has not sent that frame, then
   * another process has under this id, such as one of which this is an earlier snapshot.
   */
  #claimed(id: string, number: number): void {
    const { replicas, listener } = this.#options;
    if (id === replicas.selfId && listener.isAhead(number)) listener.twin();
  }

  /** Whether the answer to a question is being told, or has just been: reading it takes as long as writing. */
  #isTelling(asker: string, since: number, others: boolean, now: number): boolean {
    const telling = this.#telling;
    if (telling === undefined) return false;
    const { beganAtMs, endedAtMs, to } = telling;
    const isOver =
      endedAtMs === NEVER ? !this.#options.isAnswering() : now > 2 * endedAtMs - beganAtMs;
    if (isOver || (to !== undefined && to !== asker)) return false;
    if (others) return telling.others && since >= telling.since;
    return since >= telling.since && since < telling.upTo;
  }

  /** Does what is due. */
  work(now: number): void {
    for (const member of this.#options.members.all()) {
      if (now >= member.askAtMs) this.#ask(member, now);
    }
    if (now >= this.#answerAtMs && this.#options.isAnswering()) {
      this.#answerAtMs = now + ANSWER_SPACING_MS;
    } else if (now >= this.#answerAtMs) {
      this.payDebts();
    }
    this.#relays.work(now);
  }

  /** Leaves undone what was begun. */
  stop(): void {
    this.#relays.stop();
  }

  /** The same in the same order, from anyone of them on. */
  #turned<Item>(items: readonly Item[]): Item[] {
    const first = Math.floor(this.#options.random() * items.length);
    return [...items.slice(first), ...items.slice(0, first)];
  }

  #isLoaded(now: number): boolean {
    const isLoaded = this.#options.isLoaded(now);
    if (isLoaded) this.#loadedAtMs = now;
    return isLoaded;
  }

  #wait(leastMs: number, spreadMs: number): number {
    return leastMs + Math.floor(this.#options.random() * spreadMs);
  }

  #ask(member: Member, now: number): void {
    // Who is gone does not answer, and is asked as soon as it is heard again.
    if (!member.isBehind || !member.isAlive) {
      member.askAtMs = NEVER;
      return;
    }
    if (now < member.answeringUntilMs) {
      member.askAtMs = member.answeringUntilMs;
      return;
    }
    if (this.#isLoaded(now)) {
      member.askAtMs = now + this.#wait(ASK_HELD_MS, ASK_SPREAD_MS);
      return;
    }
    const again = Math.min(ASK_AGAIN_MS * 2 ** member.asked, ASK_AGAIN_MS_MAX);
    member.asked++;
    member.askAtMs = now + this.#wait(again, ASK_SPREAD_MS);
    const since = member.frames.last;
    this.#options.sender.ask({ ...halvesOf(member.id), since, others: false });
  }

  /** Whether another replica has just been answered: one that has heard two questions does not ask. */
  #isSecond(asker: string, since: number, now: number): boolean {
    const telling = this.#telling;
    if (telling === undefined || now >= telling.endedAtMs + ASK_AGAIN_MS) return false;
    return since > 0 && telling.since > 0 && telling.to !== asker;
  }

  /** One answer serves all who asked until it is given: from where the first gap begins. */
  #owe({ id: to, isReady }: Member, since: number, others: boolean, now: number): void {
    const isNew = others && isReady !== true;
    if (this.#answerAtMs === NEVER) {
      const soon = now + this.#wait(ANSWER_AFTER_MS, ANSWER_SPREAD_MS);
      const { beganAtMs = Number.NEGATIVE_INFINITY } = this.#telling ?? {};
      this.#answerAtMs = Math.max(soon, beganAtMs + ANSWER_SPACING_MS);
      this.#answerSince = since;
      this.#answerTo = this.#isSecond(to, since, now) ? undefined : to;
      this.#answerOthers = others;
      this.#answersNewcomer = isNew;
      return;
    }
    this.#answerOthers ||= others;
    this.#answersNewcomer ||= isNew;
    this.#answerSince = Math.min(this.#answerSince, since);
    if (this.#answerTo !== to) this.#answerTo = undefined;
  }
}
