/**
 * One participant of a Maelstrom test of counters: a replica that ships, behind that protocol.
 *
 * A counter is two keys of one limiter, one for what was added and one for what was taken off. A
 * count is charged at this replica at once and reaches the others by gossip, so an operation is
 * acknowledged without a word to them.
 */

import {
  type Cluster,
  createLimiter,
  fixedWindow,
  joinCluster,
  type Limiter,
} from "@tidegate/core";
import { MaelstromTransport } from "./maelstrom-transport.ts";

interface Body {
  readonly type: string;
  readonly msg_id?: number;
  readonly node_id?: string;
  readonly node_ids?: readonly string[];
  readonly delta?: number;
  readonly frame?: string;
}

interface Envelope {
  readonly src: string;
  readonly body: Body;
}

/** Codes of Maelstrom: the request is not supported; it makes no sense. */
const NOT_SUPPORTED = 10;
const MALFORMED = 12;

/** Larger than all that a test adds. */
const LIMIT = 1_000_000_000;
const ADDED = "added";
const TAKEN_OFF = "taken off";

export class MaelstromReplica {
  readonly #write: (line: string) => void;
  readonly #transport: MaelstromTransport = new MaelstromTransport((frame) => {
    for (const other of this.#others) this.#send(other, { type: "frame", frame });
  });
  #name = "";
  #others: readonly string[] = [];
  #cluster: Cluster | undefined;
  #limiter: Limiter | undefined;

  /** @param write takes each line that goes to Maelstrom */
  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Takes one line from Maelstrom. */
  take(line: string): void {
    if (line.trim() === "") return;
    const { src, body }: Envelope = JSON.parse(line);
    const limiter = this.#limiter;
    if (body.type === "init") this.#init(src, body);
    else if (limiter === undefined) this.#refuse(src, body, "there was no init");
    else if (body.type === "frame") this.#transport.take(body.frame ?? "");
    else if (body.type === "add") this.#add(src, body, limiter);
    else if (body.type === "read") {
      const value = limiter.peek(ADDED, 0).used - limiter.peek(TAKEN_OFF, 0).used;
      this.#reply(src, body, { type: "read_ok", value });
    } else this.#refuse(src, body, `'${body.type}' is not supported`, NOT_SUPPORTED);
  }

  /** The test is over. */
  async end(): Promise<void> {
    await this.#cluster?.leave();
  }

  #init(src: string, body: Body): void {
    const { node_id: name = "", node_ids: all = [] } = body;
    this.#name = name;
    this.#others = all.filter((other) => other !== name);
    this.#cluster = joinCluster({ namespace: "maelstrom", transport: this.#transport });
    this.#limiter = createLimiter({
      name: "counter",
      // A year that ends during a test would begin the count again.
      policy: fixedWindow({ limit: LIMIT, calendar: "year" }),
      cluster: this.#cluster,
    });
    this.#reply(src, body, { type: "init_ok" });
  }

  #add(src: string, body: Body, limiter: Limiter): void {
    const { delta } = body;
    if (delta === undefined || !Number.isSafeInteger(delta)) {
      this.#refuse(src, body, "'delta' must be a whole number");
      return;
    }
    if (delta !== 0) limiter.charge(delta > 0 ? ADDED : TAKEN_OFF, Math.abs(delta));
    this.#reply(src, body, { type: "add_ok" });
  }

  #refuse(src: string, body: Body, text: string, code: number = MALFORMED): void {
    // A frame that comes before init is lost, as on any network.
    if (body.type !== "frame") this.#reply(src, body, { type: "error", code, text });
  }

  #reply(to: string, { msg_id }: Body, body: object): void {
    this.#send(to, msg_id === undefined ? body : { ...body, in_reply_to: msg_id });
  }

  #send(dest: string, body: object): void {
    this.#write(JSON.stringify({ src: this.#name, dest, body }));
  }
}
