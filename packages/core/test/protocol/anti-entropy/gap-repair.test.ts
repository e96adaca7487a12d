import { describe, expect, it } from "vitest";
import { GapRepair } from "../../../src/protocol/anti-entropy/gap-repair.ts";
import type { Membership } from "../../../src/protocol/membership/membership.ts";
import { halvesOf } from "../../../src/protocol/membership/replica-id.ts";
import type { SyncReply } from "../../../src/protocol/publish/delta-encoder.ts";
import { Replicas } from "../../../src/store/replicas/replicas.ts";
import { membershipOf } from "../membership-of.ts";

const SELF = "00000000000000ff";
const [ONE, TWO, THREE] = ["0000000000000001", "0000000000000002", "0000000000000003"] as const;
/** Longer than any reply waits. */
const SOON_MS = 230;

/** A replica that gets requests, and writes its replies as slowly as the test makes it. */
class Asked {
  nowMs = 10_000;
  /** Its sender: how many frames of counts it has sent. */
  readonly sender = { ask: () => {}, counted: 100 };
  readonly answers: SyncReply[] = [];
  readonly #members: Membership;
  readonly #gapRepair: GapRepair;
  #done: (() => void) | undefined;

  constructor() {
    const replicas = new Replicas(SELF);
    this.#members = membershipOf(replicas);
    for (const id of [ONE, TWO, THREE]) this.#members.received(id, this.nowMs, this.nowMs, 0);
    const context = {
      ...{ replicas, members: this.#members, random: () => 0.5 },
      ...{ sender: this.sender, clock: { now: () => this.nowMs } },
    };
    const publisher = {
      isReplying: false,
      reply: (answer: SyncReply, done?: () => void) => {
        this.answers.push(answer);
        publisher.isReplying = true;
        this.#done = () => {
          publisher.isReplying = false;
          done?.();
        };
      },
    };
    const incarnation = { claimed: () => {} } as never;
    const frameQueue = { isLoaded: () => false } as never;
    this.#gapRepair = new GapRepair(context as never, publisher as never, incarnation, frameQueue);
  }

  /** A replica requests what came after a frame, and this one does what is due soon. */
  ask(id: string, since: number): void {
    const asking = { ...halvesOf(SELF), since, others: false };
    this.#gapRepair.requested(this.#members.find(id)!, asking, this.nowMs);
    this.pass(SOON_MS);
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.#gapRepair.work(this.nowMs);
  }

  /** All frames of the reply have left. */
  replySent(): void {
    const done = this.#done;
    this.#done = undefined;
    done?.();
  }

  /** For each reply, after which frame and for which replica it was. */
  get given(): [number, string | undefined][] {
    return this.answers.map(({ since, to }) => [since, to]);
  }
}

describe("a replica that gets requests", () => {
  it("replies to the first replica alone, and to all when another one asks soon after", () => {
    const asked = new Asked();
    asked.ask(ONE, 90);
    asked.replySent();
    asked.ask(TWO, 90);
    asked.replySent();
    expect(asked.given).toEqual([
      [90, ONE],
      [90, undefined],
    ]);
  });

  it("does not reply again to a replica that may still be reading the reply", () => {
    const asked = new Asked();
    asked.ask(ONE, 90);
    asked.pass(1_000);
    asked.ask(ONE, 90);
    asked.replySent();
    asked.ask(ONE, 90);
    asked.pass(500);
    expect(asked.given).toEqual([[90, ONE]]);
    asked.pass(1_000);
    asked.ask(ONE, 90);
    expect(asked.given).toEqual([
      [90, ONE],
      [90, ONE],
    ]);
  });

  it("replies also while it writes a reply, if the request is for later frames", () => {
    const asked = new Asked();
    asked.ask(ONE, 90);
    asked.sender.counted = 110;
    asked.ask(ONE, 105);
    asked.replySent();
    asked.pass(SOON_MS);
    expect(asked.given).toEqual([
      [90, ONE],
      [105, ONE],
    ]);
  });
});
