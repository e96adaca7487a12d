/**
 * What stopped and slow processes cost the others of their machine: real processes, real signals.
 */

import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { markOf, meetingPlace } from "../../src/transport/meeting-place.ts";

const SCRIPT = fileURLToPath(new URL("ipc-speaker.mjs", import.meta.url));
const POLL_MS = 50;
const PATIENCE_MS = 15_000;

interface Heard {
  readonly names: readonly string[];
  readonly troubles: readonly string[];
  readonly isConnected: boolean;
  readonly isBusy: boolean;
}

class Speaker {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, (answer: unknown) => void>();
  #asked = 0;

  constructor(namespace: string, name: string) {
    this.name = name;
    this.#child = fork(SCRIPT, [namespace, name]);
    this.#child.on("message", (said: { readonly id: number; readonly answer: unknown }) => {
      this.#answers.get(said.id)?.(said.answer);
      this.#answers.delete(said.id);
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  ask(ask: "heard"): Promise<Heard>;
  ask(ask: "flood"): Promise<boolean>;
  ask(ask: "block", forMs: number): Promise<void>;
  ask(ask: string, forMs?: number): Promise<unknown> {
    const id = ++this.#asked;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.#child.send({ id, ask, forMs });
    });
  }
}

describe("processes of one machine, when one of them is stopped", () => {
  let namespace: string;
  let speakers: Speaker[];

  beforeEach(() => {
    namespace = randomBytes(8).toString("hex");
    speakers = [];
  });

  afterEach(() => {
    for (const speaker of speakers) speaker.signal("SIGKILL");
  });

  async function start(name: string): Promise<Speaker> {
    const speaker = new Speaker(namespace, name);
    speakers.push(speaker);
    await until(async () => (await speaker.ask("heard")).isConnected);
    return speaker;
  }

  it("the others elect another relay within seconds, and the former one joins them later", async () => {
    const [relay, one, two] = [await start("relay"), await start("one"), await start("two")];
    await until(() => hearEachOther([relay, one, two]));
    relay.signal("SIGSTOP");
    await pause(300);
    await one.ask("heard");
    await pause(300);
    expect((await one.ask("heard")).names).toEqual([]);
    const stoppedFor = await until(() => hearEachOther([one, two]));
    // Two and a half of them, if no other work delays a process.
    expect(stoppedFor).toBeLessThan(5_000);
    const mark = markOf(meetingPlace(namespace));
    relay.signal("SIGCONT");
    await until(() => hearEachOther([relay, one, two]));
    await pause(1_500);
    expect(await hearEachOther([relay, one, two])).toBe(true);
    expect(markOf(meetingPlace(namespace))).toBe(mark);
  });

  it("processes that find only a stopped relay take its place", async () => {
    const relay = await start("relay");
    relay.signal("SIGSTOP");
    const [one, two] = await Promise.all([start("one"), start("two")]);
    await until(() => hearEachOther([one, two]));
    relay.signal("SIGCONT");
    await until(() => hearEachOther([relay, one, two]));
  });

  it("a relay that works for a second without a pause keeps its place", async () => {
    const [relay, one, two] = [await start("relay"), await start("one"), await start("two")];
    const mark = markOf(meetingPlace(namespace));
    await relay.ask("block", 1_000);
    await until(() => hearEachOther([relay, one, two]));
    expect(markOf(meetingPlace(namespace))).toBe(mark);
  });

  it("a process that works for seconds does not take its relay for stopped", async () => {
    const [relay, one] = [await start("relay"), await start("one")];
    await until(() => hearEachOther([relay, one]));
    const mark = markOf(meetingPlace(namespace));
    await one.ask("block", 3_500);
    await pause(500);
    expect(markOf(meetingPlace(namespace))).toBe(mark);
    expect(await hearEachOther([relay, one])).toBe(true);
  });

  it("a process that does not read loses its own frames alone, and the relay reports it", async () => {
    const [relay, one, deaf] = [await start("relay"), await start("one"), await start("deaf")];
    await until(() => hearEachOther([relay, one, deaf]));
    deaf.signal("SIGSTOP");
    // Enough to fill what waits for it; the other one reads all of it.
    while (await relay.ask("flood")) await pause(POLL_MS);
    for (let round = 0; round < 3; round++) {
      await relay.ask("flood");
      await until(() => hearEachOther([relay, one]));
      expect((await relay.ask("heard")).isBusy).toBe(false);
    }
    await pause(600);
    const { troubles } = await relay.ask("heard");
    expect(troubles).toEqual([
      "another process of this machine does not read its frames, and misses the counts of the others: look whether it is stopped or overloaded",
    ]);
    deaf.signal("SIGCONT");
    await until(() => hearEachOther([relay, one, deaf]));
  });
});

/** Whether each has received all others since the last call. */
async function hearEachOther(speakers: readonly Speaker[]): Promise<boolean> {
  await Promise.all(speakers.map((speaker) => speaker.ask("heard")));
  await pause(4 * POLL_MS);
  const heard = await Promise.all(speakers.map((speaker) => speaker.ask("heard")));
  return speakers.every((speaker, index) => {
    const others = speakers.filter((other) => other !== speaker);
    return others.every((other) => heard[index]!.names.includes(other.name));
  });
}

/** Waits until a condition holds; returns how long that took. */
async function until(isSo: () => Promise<boolean>): Promise<number> {
  const beganMs = performance.now();
  while (!(await isSo())) {
    expect(performance.now() - beganMs).toBeLessThan(PATIENCE_MS);
    await pause(POLL_MS);
  }
  return performance.now() - beganMs;
}
