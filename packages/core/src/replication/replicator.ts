/**
 * Keeps the stores of this process in agreement with those of others: tells what was counted here,
 * merges what was counted elsewhere, and mends what got lost in between.
 *
 * Nothing here is on the path of a request but what stores announce, which at most sets a timer. Work
 * that may be long is done in slices. Whatever goes wrong is counted and reported, and never thrown.
 */

import type { Report } from "../base/cluster-events.ts";
import { Replicas } from "../store/replicas/replicas.ts";
import type { Clock } from "../time/clock.ts";
import { GuardedTransport } from "../transport/guarded-transport.ts";
import type { Transport } from "../transport/transport.ts";
import type { Heartbeat } from "../wire/heartbeat-section.ts";
import type { Asking } from "../wire/repair-sections.ts";
import { Seal } from "../wire/seal.ts";
import { Bequest } from "./anti-entropy/bequest.ts";
import type { PartsFault } from "./anti-entropy/parts-room.ts";
import { RecentFrames } from "./anti-entropy/recent-frames.ts";
import { Repair } from "./anti-entropy/repair.ts";
import { ClockAgreement } from "./clock/clock-agreement.ts";
import { ClockCheck } from "./clock/clock-check.ts";
import { ClusterClock } from "./clock/cluster-clock.ts";
import { Envelope } from "./envelope.ts";
import { Differences } from "./limiters/differences.ts";
import type { Share } from "./limiters/share.ts";
import { Shares } from "./limiters/shares.ts";
import { Arrival } from "./membership/arrival.ts";
import { Departure } from "./membership/departure.ts";
import { HEARTBEAT_MS } from "./membership/heartbeat-times.ts";
import type { SeparatedMode } from "./membership/isolation.ts";
import type { Member } from "./membership/member.ts";
import { Members } from "./membership/members.ts";
import { Outlook } from "./membership/outlook.ts";
import { OwnId } from "./membership/own-id.ts";
import { Pulse } from "./membership/pulse.ts";
import { addressOf } from "./membership/replica-id.ts";
import type { CountdownOptions } from "./publish/countdown.ts";
import { Sender } from "./publish/sender.ts";
import { Teller } from "./publish/teller.ts";
import { FrameQueue } from "./receive/frame-queue.ts";
import { Freshness } from "./receive/freshness.ts";
import { Inbox } from "./receive/inbox.ts";
import type { Listener } from "./receive/listener.ts";
import { Overload } from "./receive/overload.ts";
import { Refusals } from "./receive/refusals.ts";
import type { Slices } from "./slicer.ts";
import { Wake } from "./wake.ts";

const SILENT_MS = 3.5 * HEARTBEAT_MS;
/** Early enough for others to pass on what it says before it is taken to be silent. */
const BEHIND_AFTER_MS = 1.5 * HEARTBEAT_MS;
const MEMBERS_MAX = 4_096;

export interface ReplicatorOptions extends CountdownOptions {
  readonly transport: Transport;
  readonly namespace: string;
  readonly secret: string | Uint8Array | undefined;
  readonly clock: Clock;
  /** The id that this replica begins with, which no other has ever had. */
  readonly id: string;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly readyTimeoutMs: number;
  readonly onCold: SeparatedMode;
  readonly report: Report;
}

export class Replicator implements Listener {
  readonly onCold: SeparatedMode;
  readonly replicas: Replicas;
  readonly clock: ClusterClock;
  readonly seal: Seal;
  readonly members: Members;
  readonly freshness: Freshness;
  readonly shares: Shares = new Shares();
  readonly inbox: Inbox;
  readonly refusals: Refusals = new Refusals((...said) => this.#options.report(...said));
  readonly overload: Overload = new Overload((...said) => this.#options.report(...said));
  readonly heard: FrameQueue;
  readonly sender: Sender;
  readonly arrival: Arrival;
  readonly teller: Teller;
  readonly outlook: Outlook;

  readonly #options: ReplicatorOptions;
  readonly #recent = new RecentFrames();
  readonly #agreement: ClockAgreement;
  readonly #ownId: OwnId;
  readonly #repair: Repair;
  readonly #bequest: Bequest;
  readonly #wake: Wake;
  readonly #pulse: Pulse;
  #wasConnected = false;
  #closing: Promise<void> | undefined;
  #isOver = false;

  constructor(options: ReplicatorOptions) {
    const { id, random, namespace, secret, readyTimeoutMs } = options;
    const transport = new GuardedTransport(options.transport, options.report);
    this.#options = options;
    this.onCold = options.onCold;
    const replicas = new Replicas(id);
    const clock = new ClusterClock(options.clock);
    const seal = new Seal(namespace, secret);
    const envelope = new Envelope(seal, replicas, transport);
    const lost = (why: PartsFault): void => this.refusals.part(why);
    const heldUpMs = (): number => this.#wake.heldUpMs;
    const bounds = { silentMs: SILENT_MS, membersMax: MEMBERS_MAX };
    const members = new Members(replicas, { ...bounds, lost, heldUpMs });
    const sender = new Sender(transport, envelope, clock);
    const now = clock.now();
    this.replicas = replicas;
    this.clock = clock;
    this.seal = seal;
    this.members = members;
    this.sender = sender;
    const missedAfterMs = SILENT_MS + HEARTBEAT_MS;
    const bequest = new Bequest({ replicas, members, sender, missedAfterMs });
    this.#bequest = bequest;
    const times = { beganAtMs: now, timeoutMs: readyTimeoutMs };
    this.arrival = new Arrival({ members, sender, bequest, ...times });
    this.freshness = new Freshness(seal.isSealing, clock);
    const { arrival, shares, refusals, freshness } = this;
    const clockCheck = new ClockCheck({ clock, members, freshness, silentMs: SILENT_MS });
    const sight = { members, sender, arrival, replicas, clockCheck };
    this.outlook = new Outlook({ ...sight, report: options.report });
    this.#agreement = new ClockAgreement({ ...options, clock, members, replicas, beganAtMs: now });
    this.heard = new FrameQueue({
      read: (frame, receivedAtMs) => this.#hear(frame, receivedAtMs),
      refusals,
      now: () => clock.now(),
      dropped: (at) => this.overload.dropped(at),
    });
    const common = { seal, envelope, clock, replicas, members, sender, random };
    const differences = new Differences(shares, options.report);
    const judges = { refusals, freshness, differences };
    this.inbox = new Inbox({ ...common, ...judges, shares, listener: this });
    this.teller = new Teller({
      ...options,
      ...common,
      shares,
      replicaCount: () => (this.arrival.isOver ? replicas.aliveCount : Number.POSITIVE_INFINITY),
      wakeAt: (ms) => this.#wake.at(ms),
    });
    this.#ownId = new OwnId({ ...options, ...common, shares, teller: this.teller });
    this.#repair = new Repair({
      ...common,
      ...{ recent: this.#recent, listener: this, now: () => clock.now() },
      silentMs: BEHIND_AFTER_MS,
      answer: (...answer) => this.teller.answer(...answer),
      isAnswering: () => this.teller.isAnswering,
      isLoaded: (at) => this.heard.isLoaded(at) || this.overload.isDropping(at),
    });
    this.#wake = new Wake(
      () => clock.now(),
      () => this.#work(),
    );
    const { teller } = this;
    const watch = {
      outlook: this.outlook,
      agreement: this.#agreement,
      bequest,
      arrival,
      clockCheck,
      teller,
    };
    this.#pulse = new Pulse({
      ...{ ...common, ...judges, ...watch, ...times, shares },
      ...{ repair: this.#repair, ownId: this.#ownId },
    });
  }

  /** Begins to hear and to be heard. */
  open(): void {
    const { namespace } = this.#options;
    const context = { namespace, replica: addressOf(this.replicas.selfId) };
    const changed = (): void => this.#transportChanged();
    try {
      this.sender.transport.open((frame) => this.heard.take(frame), { ...context, changed });
    } catch (error) {
      // It may have kept what it was given, and nobody is there to be heard.
      this.#isOver = true;
      throw error;
    }
    this.#wasConnected = this.sender.isConnected;
    this.#work();
  }

  /**
   * Shares what a limiter counts. What others have counted for it was of no interest when it was heard,
   * so all that there is has to be heard again; but for what a closed one has left, which went on hearing.
   */
  join(share: Share): void {
    if (!this.shares.add(share, this.teller.nextFrame)) return;
    const now = this.clock.now();
    if (!this.#repair.askAnew(now)) return;
    this.#bequest.renew(now);
    this.#wake.at(now);
  }

  /** A limiter is closed: what nobody has been told of it leaves at once. */
  part(share: Share): void {
    const now = this.clock.now();
    const untilMs = now + this.freshness.rememberedMs(share.lifeMs);
    this.shares.retire(share, { toldIn: this.teller.nextFrame, untilMs });
    this.teller.urgent(now);
  }

  /** Tells what is left to tell, says goodbye, and lets go of everything; waits until it has left. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { teller, sender } = this;
    const departure = new Departure({ teller, sender, report: this.#options.report });
    // When all leave at once, whoever relayed for them may just have done so.
    if (!sender.isConnected) await departure.wait();
    this.#repair.payDebts();
    while (!departure.goOn()) await departure.wait();
    sender.greet("leave");
    this.#isOver = true;
    this.#wake.stop();
    this.#repair.stop();
    this.heard.stop();
    this.#recent.forget();
    this.arrival.end();
    this.shares.close();
    await departure.close();
  }

  // ── What others say ──────────────────────────────────────────────────────────────────────────

  met(): void {
    this.#agreement.heard(this.clock.now());
  }

  heartbeat(from: Member, heartbeat: Heartbeat): void {
    from.said(heartbeat);
    this.#repair.heartbeat(from, heartbeat, this.clock.now());
  }

  asked(from: Member, asking: Asking): void {
    this.#repair.asked(from, asking, this.sender.counted, this.clock.now());
  }

  hello(): void {
    this.#pulse.greeted(this.clock.now());
  }

  left(from: Member): void {
    this.members.leave(from);
  }

  bequeathed(from: Member): void {
    this.#bequest.heardFrom(from, this.clock.now());
  }

  isAhead(number: number): boolean {
    return number >= this.teller.nextFrame;
  }

  succeeded(by: Member): void {
    this.#ownId.succeeded(by);
  }

  twin(): void {
    this.#ownId.change();
  }

  /** What was told while nothing could leave is lost. A heartbeat shows everybody what they missed. */
  #transportChanged(): void {
    const { isConnected } = this.sender;
    const isBack = isConnected && !this.#wasConnected;
    this.#wasConnected = isConnected;
    if (this.#isOver) return;
    const now = this.clock.now();
    if (isBack) this.#pulse.hurry(now);
    this.outlook.look(now);
    this.#work();
  }

  *#hear(frame: Uint8Array, receivedAtMs: number): Slices {
    const member = this.#isOver ? undefined : yield* this.inbox.hear(frame, receivedAtMs);
    if (member === undefined) return;
    // What comes late has been passed on by somebody who kept it.
    if (this.inbox.isLatest) this.#recent.keep(member, frame);
    const now = this.clock.now();
    this.#repair.heard(member, now);
    this.#bequest.heard(member, now);
    if (!this.arrival.isOver) {
      this.arrival.work(now);
      this.outlook.settle();
    }
    this.#wake.at(Math.min(this.#repair.dueAtMs, this.#bequest.dueAtMs, this.#pulse.dueAtMs));
  }

  // ── What is due ──────────────────────────────────────────────────────────────────────────────

  #work(): void {
    if (this.#isOver) return;
    const now = this.clock.now();
    this.arrival.work(now);
    if (now >= this.outlook.dueAtMs) this.outlook.look(now);
    this.outlook.settle();
    this.overload.look(now);
    if (now >= this.#pulse.dueAtMs) this.#pulse.beat(now);
    this.#repair.work(now);
    this.#bequest.work(now);
    this.teller.work(now);
    this.#wake.at(
      Math.min(
        this.#pulse.dueAtMs,
        this.#repair.dueAtMs,
        this.#bequest.dueAtMs,
        this.teller.dueAtMs,
        this.arrival.dueAtMs,
        this.outlook.dueAtMs,
      ),
    );
  }
}
