import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { joinCluster } from "../../src/cluster/cluster.ts";
import { CHANNELS, type ClusterEvent } from "../../src/runtime/diagnostics.ts";
import { type MemoryNetwork, memoryNetwork } from "../../src/transport/memory-network.ts";
import type { Transport, TransportContext } from "../../src/transport/transport.ts";
import { join } from "./joined.ts";

let network: MemoryNetwork;
const events: ClusterEvent[] = [];
const take = (event: unknown): void => {
  events.push(event as ClusterEvent);
};

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  network = memoryNetwork();
  events.length = 0;
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  unsubscribe(CHANNELS.cluster, take);
});

/** A transport whose connection a test switches on and off. */
class SwitchedTransport implements Transport {
  connected = false;
  context: TransportContext | undefined;

  open(_: (frame: Uint8Array) => void, context: TransportContext): void {
    this.context = context;
  }

  publish(): boolean {
    return this.connected;
  }

  close(): void {}

  switch(connected: boolean): void {
    this.connected = connected;
    this.context?.changed?.();
  }
}

describe("a cluster event", () => {
  it("has a code and a severity", () => {
    subscribe(CHANNELS.cluster, take);
    const [one, two] = [join(network), join(network)];
    vi.advanceTimersByTime(3_000);
    network.cut(one.transport, two.transport);
    network.cut(two.transport, one.transport);
    vi.advanceTimersByTime(6_000);
    network.heal();
    vi.advanceTimersByTime(3_000);
    const { replica } = one.cluster.status();
    const own = events.filter((event) => event.replica === replica);
    expect(own.map(({ code, severity, message }) => ({ code, severity, message }))).toEqual([
      {
        code: "TIDEGATE_PARTITIONED",
        severity: "error",
        message:
          "this process is partitioned from 1 other replica: limiters decide as 'onPartition' says. Check the network, and that they run",
      },
      {
        code: "TIDEGATE_REUNITED",
        severity: "info",
        message: "frames of all other replicas arrive again",
      },
    ]);
  });

  it("does not say that frames of other replicas arrive if there is none", () => {
    subscribe(CHANNELS.cluster, take);
    const transport = new SwitchedTransport();
    joinCluster({ transport });
    vi.advanceTimersByTime(3_000);
    transport.switch(true);
    vi.advanceTimersByTime(3_000);
    expect(events.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      "TIDEGATE_DISCONNECTED: the transport is not connected: limiters decide as 'onPartition' says",
      "TIDEGATE_REUNITED: the transport is connected: no frame of another replica has arrived yet",
    ]);
  });

  it("about a transport that is away includes the transport's own report", () => {
    subscribe(CHANNELS.cluster, take);
    const transport = new SwitchedTransport();
    transport.connected = true;
    joinCluster({ transport });
    transport.context?.report?.("said while it works");
    vi.advanceTimersByTime(3_000);
    transport.switch(false);
    vi.advanceTimersByTime(3_000);
    transport.switch(true);
    transport.context?.report?.("the line is cut");
    transport.switch(false);
    transport.context?.report?.("tries again", { code: "MINE", severity: "info" });
    vi.advanceTimersByTime(3_000);
    const away = events.filter(({ code }) => code === "TIDEGATE_DISCONNECTED");
    expect(away.map(({ message }) => message)).toEqual([
      "the transport is not connected: limiters decide as 'onPartition' says",
      "the transport is not connected (the line is cut): limiters decide as 'onPartition' says",
    ]);
  });

  it("is a trouble if something is wrong, and none if it works again", () => {
    const transport = new SwitchedTransport();
    const cluster = joinCluster({ transport });
    vi.advanceTimersByTime(3_000);
    transport.switch(true);
    vi.advanceTimersByTime(3_000);
    expect(cluster.status()).toMatchObject({
      troubles: 1,
      lastTrouble: "the transport is not connected: limiters decide as 'onPartition' says",
    });
    transport.context?.report?.("slow", { code: "MINE", severity: "warning" });
    expect(cluster.status()).toMatchObject({ troubles: 2, lastTrouble: "slow" });
  });

  it("says that silent replicas are forgotten, and not that their frames arrive", () => {
    subscribe(CHANNELS.cluster, take);
    const [one, two] = [join(network), join(network)];
    vi.advanceTimersByTime(3_000);
    void two.transport.close();
    vi.advanceTimersByTime(200_000);
    const { replica, degraded } = one.cluster.status();
    expect(degraded).toBe(false);
    expect(events.filter((event) => event.replica === replica).at(-1)).toMatchObject({
      code: "TIDEGATE_REUNITED",
      message: "the silent replicas are forgotten: this process counts alone",
    });
  });

  it.each([
    [undefined, "TIDEGATE_TRANSPORT_TROUBLE", "warning"],
    [{ code: "MINE", severity: "error" }, "MINE", "error"],
    [{ code: "MINE", severity: "fatal" }, "TIDEGATE_TRANSPORT_TROUBLE", "warning"],
    ["MINE", "TIDEGATE_TRANSPORT_TROUBLE", "warning"],
  ])("of a transport has the transport's own code: %j", (kind, code, severity) => {
    subscribe(CHANNELS.cluster, take);
    const transport = new SwitchedTransport();
    joinCluster({ transport });
    transport.context?.report?.("no route", kind as never);
    expect(events).toMatchObject([{ code, severity, message: "no route" }]);
  });
});

describe("a process without a subscriber", () => {
  const AWAY = "the transport is not connected: limiters decide as 'onPartition' says";
  const ONLY = "Further events are only published, on the channel tidegate:cluster";
  const BACK =
    "the transport is connected: no frame of another replica has arrived yet [TIDEGATE_REUNITED]";

  /** What is printed, less the name of the cluster. */
  function printing(): () => string[] {
    const emitted = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    return () => emitted.mock.calls.map(([text]) => String(text).replace('cluster "shop": ', ""));
  }

  it("prints the first error of a cluster as text with a type and a code, and when it is over", () => {
    const emitted = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const transport = new SwitchedTransport();
    joinCluster({ transport, namespace: "shop" });
    vi.advanceTimersByTime(3_000);
    const [type, code] = ["TidegateWarning", "TIDEGATE_DISCONNECTED"];
    const text = `cluster "shop": ${AWAY}. ${ONLY}, until this is over [${code}]`;
    expect(emitted.mock.calls).toEqual([[text, { type, code }]]);
    transport.context?.report?.("no server", { code: "MINE", severity: "error" });
    transport.switch(true);
    vi.advanceTimersByTime(3_000);
    expect(emitted.mock.calls.slice(1)).toEqual([
      [`cluster "shop": ${BACK}`, { type, code: "TIDEGATE_REUNITED" }],
    ]);
  });

  it("prints each outage and its end, and begins with another once a minute at most", () => {
    const printed = printing();
    const transport = new SwitchedTransport();
    joinCluster({ transport, namespace: "shop" });
    const away = `${AWAY}. ${ONLY}, until this is over [TIDEGATE_DISCONNECTED]`;
    vi.advanceTimersByTime(3_000);
    // A minute of outages of two seconds.
    for (let second = 0; second < 50; second += 5) {
      transport.switch(true);
      vi.advanceTimersByTime(3_000);
      transport.switch(false);
      vi.advanceTimersByTime(2_000);
    }
    expect(printed()).toEqual([away, BACK]);
    // The last one goes on, and is printed when it may be.
    vi.advanceTimersByTime(12_000);
    expect(printed()).toEqual([away, BACK, away]);
    vi.advanceTimersByTime(600_000);
    transport.switch(true);
    vi.advanceTimersByTime(3_000);
    expect(printed()).toEqual([away, BACK, away, BACK]);
  });

  it("prints that a transport works that was away for a moment only", () => {
    const printed = printing();
    const transport = new SwitchedTransport();
    joinCluster({ transport, namespace: "shop" });
    transport.context?.report?.("no server", { code: "MINE", severity: "error" });
    transport.switch(true);
    vi.advanceTimersByTime(3_000);
    expect(printed()).toEqual([
      `no server. ${ONLY}, until this is over [MINE]`,
      "the transport is connected [TIDEGATE_REUNITED]",
    ]);
  });

  it("prints the first error that is not an outage, which keeps no outage from being printed", () => {
    const printed = printing();
    const transport = new SwitchedTransport();
    transport.connected = true;
    joinCluster({ transport, namespace: "shop" });
    transport.context?.report?.("too short", { code: "MINE", severity: "error" });
    transport.context?.report?.("too long", { code: "MINE", severity: "error" });
    vi.advanceTimersByTime(60_000);
    transport.switch(false);
    vi.advanceTimersByTime(3_000);
    const most = ONLY.replace("Further", "Most further");
    expect(printed()).toEqual([
      `too short. ${most} [MINE]`,
      `${AWAY}. ${ONLY}, until this is over [TIDEGATE_DISCONNECTED]`,
    ]);
  });

  it("prints nothing about an outage once it has left", async () => {
    const printed = printing();
    const transport = new SwitchedTransport();
    const cluster = joinCluster({ transport, namespace: "shop" });
    vi.advanceTimersByTime(3_000);
    const left = cluster.leave();
    await vi.advanceTimersByTimeAsync(10_000);
    await left;
    transport.switch(true);
    expect([printed().length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it("prints no warning for what is not an error, except the hint that it is alone", () => {
    const emitted = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const transport = new SwitchedTransport();
    joinCluster({ transport });
    transport.context?.report?.("slow");
    transport.context?.report?.("works", { code: "MINE", severity: "info" });
    expect(emitted).not.toHaveBeenCalled();
    const hint = { code: "TIDEGATE_ALONE", severity: "warning" } as const;
    transport.context?.report?.("no other process is there", hint);
    transport.context?.report?.("no other process is there", hint);
    transport.context?.report?.("no server", { code: "MINE", severity: "error" });
    expect(emitted.mock.calls.map(([, options]) => options)).toMatchObject([
      { code: "TIDEGATE_ALONE" },
      { code: "MINE" },
    ]);
  });

  it.each([
    ["given and undefined", { secret: undefined }, 1],
    ["left out", {}, 0],
    ["given", { secret: "sixteen letters." }, 0],
  ])("prints once that there is no secret only if one is %s", (_, options, times) => {
    const printed = printing();
    const transport = new SwitchedTransport();
    transport.connected = true;
    const cluster = joinCluster({ transport, ...options });
    const hints = printed().filter((text) => /joined without a secret.*UNDEFINED\]$/.test(text));
    expect([hints.length, cluster.status().troubles]).toEqual([times, times]);
  });

  it("goes on if warnings throw", () => {
    vi.spyOn(process, "emitWarning").mockImplementation(() => {
      throw new Error("warnings are errors here");
    });
    const transport = new SwitchedTransport();
    const cluster = joinCluster({ transport });
    vi.advanceTimersByTime(3_000);
    expect(cluster.status()).toMatchObject({ degraded: true, troubles: 1 });
  });

  it("prints nothing if the first error has a subscriber", () => {
    const emitted = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    subscribe(CHANNELS.cluster, take);
    joinCluster({ transport: new SwitchedTransport() });
    vi.advanceTimersByTime(3_000);
    expect([events.length, emitted.mock.calls.length]).toEqual([1, 0]);
  });

  it("prints no end of an outage if a subscriber has come since", () => {
    const printed = printing();
    const transport = new SwitchedTransport();
    joinCluster({ transport });
    vi.advanceTimersByTime(3_000);
    subscribe(CHANNELS.cluster, take);
    transport.switch(true);
    vi.advanceTimersByTime(3_000);
    expect([events.length, printed().length]).toEqual([1, 1]);
  });
});
