import { setTimeout as pause } from "node:timers/promises";
import { fleetSize, isWideRun } from "@tidegate/testkit";
import { describe, expect } from "vitest";
import { agree, it, SCENARIOS, truthOf, underTraffic } from "./fleet-over-nats.ts";

/** How long servers stand still, and how long they are away. */
const FROZEN_MS = isWideRun() ? 10_000 : 3_000;
const AWAY_MS = isWideRun() ? 4_000 : 1_500;
const PATIENCE = { timeout: 30_000 };

describe("processes over NATS see in the end exactly what was counted", SCENARIOS, () => {
  it("however traffic is spread", async ({ lab }) => {
    const { url } = await lab.server();
    const replicas = await lab.started({ url });
    await underTraffic("nothing", replicas, () => pause(1_500));
  });

  it("after the server was killed and started again", async ({ lab }) => {
    const killed = await lab.server();
    const replicas = await lab.started({ url: killed.url });
    await underTraffic("server killed and restarted", replicas, async () => {
      await killed.kill();
      await pause(AWAY_MS);
      expect((await replicas[0]!.status()).isConnected).toBe(false);
      await killed.restart();
      await pause(500);
    });
  });

  it("after the server stood still", async ({ lab }) => {
    const frozen = await lab.server();
    const replicas = await lab.started({ url: frozen.url });
    await underTraffic("server frozen", replicas, async () => {
      await frozen.freeze();
      await pause(FROZEN_MS);
      frozen.thaw();
      await pause(500);
    });
  });

  it("when the server came only after they had begun to count", async ({ lab }) => {
    const late = await lab.server();
    await late.kill();
    const fleet = lab.fleet({ url: late.url });
    const replicas = Array.from({ length: fleetSize() }, () => fleet.start());
    await underTraffic("server absent at first", replicas, async () => {
      await pause(AWAY_MS);
      expect((await replicas[0]!.status()).isConnected).toBe(false);
      await late.restart();
      await pause(1_000);
    });
    const { peers, isConnected } = await replicas[0]!.status();
    expect([peers.length, isConnected]).toEqual([replicas.length - 1, true]);
  });

  it("when every frame arrives twice", async ({ lab }) => {
    const { url } = await lab.server();
    const replicas = await lab.started({ url, overlaps: true });
    await underTraffic("everything heard twice", replicas, () => pause(1_500));
    const all = await Promise.all(replicas.map((replica) => replica.status()));
    const sent = all.reduce((sum, { frames }) => sum + frames.sent, 0);
    const received = all.reduce((sum, { frames }) => sum + frames.received, 0);
    // Once, by all others: fewer if some were meant for one of them.
    const once = sent * (replicas.length - 1);
    expect(received).toBeGreaterThan(1.2 * once);
  });
});

describe("a process with a bad line counts on, and all agree", SCENARIOS, () => {
  it("while it is a long one", async ({ lab }) => {
    const there = await lab.server();
    const line = await lab.lineTo(there);
    const url = (number: number) => (number === 0 ? line.url : there.url);
    const replicas = await lab.started({ url });
    await underTraffic("one line 300 ms long", replicas, async () => {
      line.delay(300);
      await pause(2_000);
    });
  });

  it("after it was cut", async ({ lab }) => {
    const there = await lab.server();
    const line = await lab.lineTo(there);
    const url = (number: number) => (number === 0 ? line.url : there.url);
    const replicas = await lab.started({ url });
    await underTraffic("one line cut", replicas, async () => {
      line.cut();
      await pause(AWAY_MS);
      expect((await replicas[0]!.status()).isConnected).toBe(false);
      line.heal();
      await pause(500);
    });
  });

  it.for([
    ["it could speak and not hear", "toClient"],
    ["it could hear and not speak", "toServer"],
  ] as const)("after %s", async ([what, direction], { lab }) => {
    const there = await lab.server();
    const line = await lab.lineTo(there);
    const url = (number: number) => (number === 0 ? line.url : there.url);
    const replicas = await lab.started({ url });
    await underTraffic(`one line half open: ${what}`, replicas, async () => {
      line.hold(direction);
      await pause(FROZEN_MS);
      line.heal();
      await pause(500);
    });
  });
});

describe("a process that is stopped for so long that the server drops it", SCENARIOS, () => {
  it("knows afterwards what the others counted meanwhile", async ({ lab }) => {
    const server = await lab.server("ping_interval: 100ms\nping_max: 5\n");
    const { url } = server;
    const [still, ...others] = await lab.started({ url });
    await still!.hit("told", 100);
    await agree([still!, ...others], "told", 100);
    still!.child.kill("SIGSTOP");
    await Promise.all(others.map((replica) => replica.hit("told", 200, 500)));
    // However long that takes: it asks only while there is nothing to be sent to it.
    await expect.poll(() => server.clients(), PATIENCE).toBe(others.length);
    still!.child.kill("SIGCONT");
    await still!.hit("told", 10);
    await agree([still!, ...others], "told", 110 + 200 * others.length);
    expect((await still!.events()).join()).toContain("the connection to NATS is lost");
  });
});

describe("a process that is killed", SCENARIOS, () => {
  it("leaves the counts that it had published, and is another replica when it is started again", async ({
    lab,
  }) => {
    const { url } = await lab.server();
    const fleet = lab.fleet({ url });
    const replicas = await fleet.startAll(fleetSize());
    const [first, ...rest] = replicas;
    await first!.hit("told", 100);
    await agree(replicas, "told", 100);
    const flow = { key: "busy", perSecond: 500 };
    await Promise.all(replicas.map((replica) => replica.begin(flow)));
    await pause(1_000);
    const { keys } = await first!.figures();
    const askedAtMs = performance.now();
    await first!.kill();
    const lateMs = performance.now() - askedAtMs;
    const again = await fleet.start(0).ready();
    const survivors = [...rest, again];
    const counted = truthOf(await Promise.all(rest.map((replica) => replica.end())))["busy"]!;
    const lastSaid = keys["busy"]!.allowed;
    await agree(survivors, "told", 100);
    await rest[0]!.hit("told", 11);
    await again.hit("told", 5);
    await agree(survivors, "told", 116);
    const view = await again.view("busy");
    await agree(survivors, "busy", view);
    // What had not left yet is lost: of a key far from its limit, what came in the last 200 ms.
    expect(view - counted).toBeGreaterThan(lastSaid - 0.5 * flow.perSecond);
    expect(view - counted).toBeLessThanOrEqual(lastSaid + 1 + (flow.perSecond * lateMs) / 1_000);
  });
});
