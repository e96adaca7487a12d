import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MaelstromReplica } from "../src/maelstrom/maelstrom-replica.ts";

interface Line {
  readonly src: string;
  readonly dest: string;
  readonly body: Record<string, unknown>;
}

const NAMES = ["n1", "n2", "n3"];

/** Maelstrom, as far as its participants see it. */
class Network {
  readonly replies: Line[] = [];
  isCut = false;
  readonly replicas = new Map<string, MaelstromReplica>();
  #asked = 0;

  constructor() {
    for (const name of NAMES) {
      const replica = new MaelstromReplica((line) => this.#carry(JSON.parse(line)));
      this.replicas.set(name, replica);
    }
    for (const name of NAMES) {
      expect(this.ask(name, { type: "init", node_id: name, node_ids: NAMES })["type"]).toBe(
        "init_ok",
      );
    }
  }

  /** A client asks, and gets its reply at once. */
  ask(dest: string, body: Record<string, unknown>): Record<string, unknown> {
    const msg_id = ++this.#asked;
    this.replicas.get(dest)!.take(JSON.stringify({ src: "c1", dest, body: { ...body, msg_id } }));
    const reply = this.replies.at(-1)!;
    expect(reply).toMatchObject({ src: dest, dest: "c1", body: { in_reply_to: msg_id } });
    return reply.body;
  }

  reads(): unknown[] {
    return NAMES.map((name) => this.ask(name, { type: "read" })["value"]);
  }

  #carry(line: Line): void {
    if (line.dest === "c1") this.replies.push(line);
    else if (!this.isCut) {
      // Twice: Maelstrom can repeat what it carries.
      for (const ms of [3, 40]) {
        setTimeout(() => this.replicas.get(line.dest)?.take(JSON.stringify(line)), ms);
      }
    }
  }
}

describe("a participant of Maelstrom's counters", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("agrees with the others on what was added and taken off", async () => {
    const network = new Network();
    await vi.advanceTimersByTimeAsync(2_000);
    for (const [name, delta] of [
      ["n1", 5],
      ["n2", 7],
      ["n3", -4],
      ["n1", 0],
    ] as const) {
      expect(network.ask(name, { type: "add", delta })["type"]).toBe("add_ok");
    }
    expect(network.reads()).toEqual([5, 7, -4]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(network.reads()).toEqual([8, 8, 8]);
  });

  it("answers during a partition, and agrees after it", async () => {
    const network = new Network();
    await vi.advanceTimersByTimeAsync(2_000);
    network.isCut = true;
    for (const name of NAMES) network.ask(name, { type: "add", delta: 1 });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(network.reads()).toEqual([1, 1, 1]);
    network.isCut = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(network.reads()).toEqual([3, 3, 3]);
  });

  it("refuses what it does not know, and what comes before init", () => {
    const lines: Line[] = [];
    const replica = new MaelstromReplica((line) => lines.push(JSON.parse(line)));
    const take = (body: object): void => replica.take(JSON.stringify({ src: "c1", body }));
    take({ type: "read", msg_id: 1 });
    take({ type: "frame", frame: "AAAA" });
    replica.take("");
    take({ type: "init", msg_id: 2, node_id: "n1", node_ids: ["n1"] });
    take({ type: "broadcast", msg_id: 3 });
    take({ type: "add", delta: 0.5, msg_id: 4 });
    const bodies = lines.map(({ body }) => [body["type"], body["code"], body["in_reply_to"]]);
    expect(bodies).toEqual([
      ["error", 12, 1],
      ["init_ok", undefined, 2],
      ["error", 10, 3],
      ["error", 12, 4],
    ]);
  });
});
