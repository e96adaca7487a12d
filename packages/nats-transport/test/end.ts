/**
 * One transport in use by a test, with all frames that it has sent and received.
 */

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import {
  type NatsConnectionSource,
  type NatsTransport,
  natsTransport,
} from "@tidegate/nats-transport";

const PATIENCE_MS = 10_000;
const POLL_MS = 5;

export class End {
  static readonly opened: End[] = [];

  readonly transport: NatsTransport;
  readonly heard: string[] = [];
  readonly troubles: string[] = [];
  /** The value of `connected` at each call of `changed`. */
  readonly changes: boolean[] = [];

  constructor(connection: NatsConnectionSource, namespace = "shop") {
    this.transport = natsTransport({ connection });
    this.transport.open((frame) => this.hear(Buffer.from(frame).toString()), {
      namespace,
      replica: randomBytes(8).toString("hex"),
      report: (trouble) => this.troubles.push(trouble),
      changed: () => this.changes.push(this.transport.connected === true),
    });
    End.opened.push(this);
  }

  /** Closes all that were opened since. */
  static async closeAll(): Promise<void> {
    await Promise.all(End.opened.splice(0).map(({ transport }) => transport.close()));
  }

  get state(): string {
    return this.transport.status().state;
  }

  hear(text: string): void {
    this.heard.push(text);
  }

  say(text: string): boolean {
    return this.transport.publish(Buffer.from(text));
  }

  async becomes(state: string): Promise<void> {
    await until(() => this.state === state, `it to be ${state}; it said ${this.troubles}`);
  }

  /** Publishes until another end has received it. */
  async reaches(other: End, text: string = randomBytes(8).toString("hex")): Promise<void> {
    await until(() => {
      if (!other.heard.includes(text)) this.say(text);
      return other.heard.includes(text);
    }, `'${text}' to be heard; it said ${this.troubles}`);
  }
}

export async function until(isSo: () => boolean, what: string): Promise<void> {
  for (let waitedMs = 0; !isSo(); waitedMs += POLL_MS) {
    if (waitedMs > PATIENCE_MS) throw new Error(`waited in vain for ${what}`);
    await pause(POLL_MS);
  }
}

/** How long it takes until a condition holds. */
export async function timeUntil(isSo: () => boolean, what: string): Promise<number> {
  const startedAtMs = performance.now();
  await until(isSo, what);
  return performance.now() - startedAtMs;
}
