import { describe, expect, it, vi } from "vitest";
import { FrameRelay } from "../../../src/protocol/anti-entropy/frame-relay.ts";
import type { Member } from "../../../src/protocol/membership/member.ts";
import type { Membership } from "../../../src/protocol/membership/membership.ts";
import { halvesOf } from "../../../src/protocol/membership/replica-id.ts";
import type { OutgoingFrame } from "../../../src/protocol/publish/frame-lane.ts";
import { FrameLane } from "../../../src/protocol/publish/frame-lane.ts";
import { Scheduler } from "../../../src/protocol/scheduler.ts";
import { Replicas } from "../../../src/store/replicas/replicas.ts";
import { membershipOf } from "../membership-of.ts";

/** Longer than any round waits before it begins. */
const ROUND_MS = 1_000;

let nowMs = 0;

class Fleet {
  readonly members: Membership;
  readonly rounds: FrameRelay;
  /** The members that frames were relayed to. */
  readonly helped: (string | undefined)[] = [];
  /** The first byte of each relayed frame. */
  readonly passed: number[] = [];
  answers = 0;
  questions = 0;
  random: () => number = () => 0;
  readonly #scheduler = new Scheduler();
  readonly #lane = new FrameLane({ isBusy: false } as never);

  /**
   * @param size how many members there are beside this replica, each of which has sent one frame
   */
  constructor(size: number) {
    this.members = membershipOf(new Replicas("self"));
    for (let number = 1; number <= size; number++) {
      const id = number.toString(16).padStart(16, "0");
      this.members.received(id, 0, 0, 1);
    }
    const sender = { ask: () => this.questions++, addLane: () => this.#lane };
    const context = {
      members: this.members,
      random: () => this.random(),
      sender,
      scheduler: this.#scheduler,
    };
    const publisher = { reply: () => this.answers++, isReplying: false };
    this.rounds = new FrameRelay(context as never, publisher as never);
    for (const member of this.members.all()) this.rounds.recent.keep(member, new Uint8Array([1]));
  }

  /** So many more frames of a member, each of so many bytes; the first bytes are its number. */
  keep(from: Member, count: number, bytes: number): void {
    for (let number = 1; number <= count; number++) {
      const frame = new Uint8Array(bytes);
      new DataView(frame.buffer).setUint16(0, number, true);
      this.rounds.recent.keep({ ...from, sent: number }, frame);
    }
  }

  get all(): Member[] {
    return Array.from(this.members.all());
  }

  /** These have been silent for too long. */
  lose(gone: readonly Member[]): void {
    for (const member of this.all) {
      if (!gone.includes(member)) this.members.received(member.id, 5_000, 5_000, 1);
    }
    this.members.detectFailures(5_000, 60_000);
  }

  /** A member has received nothing of some others. */
  name(deaf: Member, ...others: readonly Member[]): void {
    deaf.lagReports.reported(
      others.map(({ id }) => ({ ...halvesOf(id), number: 0 })),
      "self",
    );
  }

  /** The next random numbers: when the next round begins, with whom, and the same for each name. */
  draw(when: number, first: number, each = 0): void {
    const draws = [when, first];
    this.random = () => draws.shift() ?? each;
  }

  /** Begins a round. */
  begin(): void {
    nowMs += ROUND_MS;
    this.rounds.lagReported(nowMs);
    nowMs += ROUND_MS;
    this.rounds.work(nowMs);
  }

  /** Goes on with a round by so many slices, and sends what they relay. */
  goOn(slices: number): void {
    for (let slice = 0; slice < slices && this.#scheduler.slice(); slice++) this.#send();
  }

  round(): void {
    this.begin();
    this.goOn(Number.POSITIVE_INFINITY);
  }

  #send(): void {
    for (let sent = this.#lane.shift(); sent !== undefined; sent = this.#lane.shift()) {
      this.#note(sent);
    }
  }

  #note({ frame, to }: OutgoingFrame): void {
    this.helped.push(to);
    this.passed.push(frame[0]!);
    // It belongs to the transport now.
    frame.fill(0);
  }
}

/** How often a round reads what a member names, whether a member is alive, and the kept frames. */
function work(fleet: Fleet): { named: number; found: number; newest: number; kept: number } {
  let named = 0;
  for (const { lagReports } of fleet.all) {
    const names = lagReports.named;
    const get = (): typeof names => {
      named++;
      return names;
    };
    Object.defineProperty(lagReports, "named", { get });
  }
  const found = vi.spyOn(fleet.members, "find");
  const newest = vi.spyOn(fleet.rounds.recent, "newest");
  const kept = vi.spyOn(fleet.rounds.recent, "after");
  fleet.round();
  const [finds, news, lists] = [found, newest, kept].map(({ mock }) => mock.calls.length);
  return { named, found: finds ?? 0, newest: news ?? 0, kept: lists ?? 0 };
}

describe("a relay round", () => {
  it.each([100, 1_000])(
    "looks at each name once, for %d members that name different replicas twice",
    (size) => {
      const fleet = new Fleet(size);
      fleet.random = () => 0.999;
      const { all } = fleet;
      for (const [at, deaf] of all.entries()) {
        fleet.name(deaf, ...[1, 2, 3, 4].map((step) => all[(at + 7 * step) % size]!));
      }
      expect(work(fleet)).toEqual({ named: 2 * size, found: 4 * size, newest: 0, kept: 0 });
    },
  );

  it.each([100, 1_000])(
    "goes through the frames of a dead replica once, when %d members name it",
    (size) => {
      const fleet = new Fleet(size + 4);
      const gone = fleet.all.slice(0, 4);
      const rest = fleet.all.slice(4);
      fleet.lose(gone);
      for (const deaf of rest) fleet.name(deaf, ...gone);
      expect(work(fleet)).toEqual({ named: 2 * size, found: 4 * size, newest: 4 * size, kept: 4 });
    },
  );

  it("helps with one name in a slice", () => {
    const fleet = new Fleet(100);
    const [from, ...deaf] = fleet.all;
    for (const member of deaf) fleet.name(member, from!);
    fleet.begin();
    // It first reads what each of the hundred members names.
    fleet.goOn(103);
    expect(fleet.helped.length).toBeLessThanOrEqual(4);
    fleet.goOn(Number.POSITIVE_INFINITY);
    expect(fleet.helped).toEqual(deaf.map(({ id }) => id));
  });

  it("gives each member its own copy, since a frame belongs to the transport", () => {
    const fleet = new Fleet(3);
    const [from, ...deaf] = fleet.all;
    for (const member of deaf) fleet.name(member, from!);
    fleet.round();
    expect(fleet.helped.length).toBe(2);
    expect(fleet.passed).toEqual([1, 1]);
  });

  it("relays all kept frames that a member has missed", () => {
    const fleet = new Fleet(3);
    const [from, deaf] = fleet.all;
    fleet.keep(from!, 300, 8);
    fleet.name(deaf!, from!);
    fleet.round();
    expect(fleet.helped).toEqual(Array.from({ length: 301 }, () => deaf!.id));
  });

  it.each([
    ["frames", 10, 1_000, 1_900],
    ["bytes", 25_000, 20, 13],
  ])(
    "is for about so many %s, and the other members have their turn in another",
    (_, bytes, size, most) => {
      const fleet = new Fleet(size);
      const { all } = fleet;
      const [from] = all;
      fleet.keep(from!, 7, bytes);
      // The others need no help, and come before those that do.
      const deaf = all.slice(size / 2);
      const helped = new Set<string | undefined>();
      for (const start of [0, 0.2, 0.4, 0.6, 0.8]) {
        for (const member of deaf) fleet.name(member, from!);
        fleet.draw(0, start);
        fleet.helped.length = 0;
        fleet.round();
        expect(fleet.helped.length).toBeLessThanOrEqual(most);
        for (const id of fleet.helped) helped.add(id);
      }
      expect(helped.size).toBe(deaf.length);
    },
  );

  it("begins with a random member that misses frames", () => {
    const begun = [0, 0.5, 0.999].map((start) => {
      const fleet = new Fleet(100);
      for (const member of fleet.all.slice(98)) fleet.name(member, fleet.all[0]!);
      fleet.draw(0, start);
      fleet.round();
      return fleet.all.findIndex(({ id }) => id === fleet.helped[0]);
    });
    expect(begun).toEqual([98, 99, 99]);
  });

  it("begins with the oldest missed frames, and with the newest if those did not help", () => {
    const fleet = new Fleet(2);
    const [from, deaf] = fleet.all;
    fleet.keep(from!, 20, 50_000);
    fleet.members.received(from!.id, nowMs, 1_000, 100);
    fleet.name(deaf!, from!);
    fleet.round();
    expect(fleet.passed).toEqual([1, 1, 2, 3, 4, 5, 6]);
    fleet.name(deaf!, from!);
    fleet.passed.length = 0;
    fleet.round();
    expect(fleet.passed).toEqual([15, 16, 17, 18, 19, 20]);
    expect(fleet.questions).toBe(1);
  });

  it("sends a bounded number of requests for replicas of which no frames are kept", () => {
    const fleet = new Fleet(4_000);
    const [from, ...deaf] = fleet.all;
    fleet.rounds.recent.forget();
    fleet.members.received(from!.id, nowMs, 1_000, 100);
    for (const member of [...deaf, ...deaf]) fleet.name(member, from!);
    fleet.round();
    expect(fleet.questions).toBe(2_048);
  });

  it("does not run twice at the same time", () => {
    const fleet = new Fleet(100);
    const [from, ...deaf] = fleet.all;
    for (const member of deaf) fleet.name(member, from!);
    fleet.begin();
    fleet.goOn(103);
    fleet.rounds.lagReported(nowMs);
    expect(fleet.rounds.dueAtMs).toBe(Number.POSITIVE_INFINITY);
    fleet.goOn(Number.POSITIVE_INFINITY);
    fleet.rounds.lagReported(nowMs);
    expect(fleet.rounds.dueAtMs).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  it("ends when it is stopped", () => {
    const fleet = new Fleet(100);
    const [from, ...deaf] = fleet.all;
    for (const member of deaf) fleet.name(member, from!);
    fleet.begin();
    fleet.goOn(103);
    const before = fleet.helped.length;
    fleet.rounds.stop();
    fleet.goOn(Number.POSITIVE_INFINITY);
    expect(before).toBeLessThan(10);
    expect(fleet.helped).toHaveLength(before);
  });
});

describe("the replicas that relay", () => {
  /** Of ten members, whether the first is helped with the second, which three more name. */
  function isHelped(draw: number, kind: string): boolean {
    const fleet = new Fleet(10);
    const [deaf, from, ...others] = fleet.all;
    if (kind === "is gone") fleet.lose([from!]);
    if (kind === "names itself") fleet.name(from!, from!);
    // A member that names it twice still counts once.
    for (const other of others.slice(0, 3)) fleet.name(other, from!, from!);
    fleet.name(deaf!, from!);
    fleet.draw(0, 0, draw);
    fleet.round();
    return fleet.helped.includes(deaf!.id);
  }

  it.each(["is there", "is gone", "names itself"])(
    "are two of those that do not name a replica that %s",
    (kind) => {
      // Five others and this one.
      const share = 2 / 6;
      expect([isHelped(share - 0.001, kind), isHelped(share + 0.001, kind)]).toEqual([true, false]);
    },
  );

  it("are all that are left, if only these receive it", () => {
    const fleet = new Fleet(3);
    const [from, ...deaf] = fleet.all;
    for (const member of deaf) fleet.name(member, from!);
    fleet.draw(0, 0, 0.999);
    fleet.round();
    expect(fleet.helped).toEqual(deaf.map(({ id }) => id));
  });
});
