/**
 * A framework without a server, so that the HTTP layer can be tested a request at a time.
 */

import { EventEmitter } from "node:events";
import {
  type Adapter,
  type Framework,
  followServerResponse,
  type Gate,
  type GateOptions,
  makeGate,
  type Outcome,
  type ParityDefaults,
  type ProxyTrust,
  type RequestConnection,
  type TidegateWarning,
  Warnings,
} from "../../src/http.ts";
import { fixedWindow } from "../../src/index.ts";

export class FakeRequest {
  method = "GET";
  readonly headers: Record<string, string>;
  address: string | undefined = "192.0.2.1";
  socketAddress: string | undefined = "192.0.2.1";
  trust: ProxyTrust = "none";
  body: unknown = undefined;
  connection: RequestConnection | null = null;

  constructor(headers: Record<string, string> = {}) {
    this.headers = headers;
  }
}

export class FakeResponse extends EventEmitter {
  readonly headers = new Map<string, string>();
  statusCode = 200;
  headersSent = false;
  writableEnded = false;
  destroyed = false;
  /** What an application destroyed it with: nothing is undefined, and none has is null. */
  errored: Error | null | undefined = null;
  beforeHeaders: (() => void) | null = null;

  /** What a header says, by its name in any case. */
  get(name: string): string | undefined {
    return this.headers.get(name.toLowerCase());
  }

  /** Ends the response as when a client goes away. */
  breakOff(): void {
    this.destroyed = true;
    this.emit("close");
  }

  /** What an application calls; once its client has hung up nothing comes of it. */
  destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.errored = error;
    this.destroyed = true;
    this.emit("close");
    return this;
  }

  /** What a handler calls; of a response whose client has hung up nothing comes of it. */
  end(): this {
    if (this.destroyed) this.writableEnded = true;
    else this.finish();
    return this;
  }

  /** Ends the response as a server would. */
  finish(statusCode = this.statusCode): void {
    this.statusCode = statusCode;
    this.beforeHeaders?.();
    this.headersSent = true;
    this.writableEnded = true;
    this.emit("finish");
    this.destroyed = true;
    this.emit("close");
  }
}

export const FAKE: Framework<FakeRequest, FakeResponse> = {
  method: ({ method }) => method,
  requestHeader: ({ headers }, name) => headers[name],
  address: ({ address }) => address,
  socketAddress: ({ socketAddress }) => socketAddress,
  proxyTrust: ({ trust }) => trust,
  body: ({ body }) => body,
  connection: ({ connection }) => connection,
  header: (response, name) => response.get(name),
  setHeader: (response, name, value) => {
    response.headers.set(name.toLowerCase(), value);
  },
  removeHeader: (response, name) => {
    response.headers.delete(name.toLowerCase());
  },
  headersSent: ({ headersSent }) => headersSent,
  statusCode: ({ statusCode }) => statusCode,
  followEnd: (response, listener) => followServerResponse(response as never, listener),
  beforeHeaders: (response, listener) => {
    response.beforeHeaders = listener;
  },
};

const NAMES = { limit: "X-Limit", remaining: "X-Remaining", reset: "X-Reset" };

export type FakeOptions = GateOptions<FakeRequest, FakeResponse>;

/** A gate of a limiter that allows 5 a minute and counts refused hits. */
export class Stand {
  readonly gate: Gate<FakeRequest, FakeResponse>;
  readonly warnings: TidegateWarning[] = [];
  static readonly #open = new Set<Stand>();

  /** Closes every stand of a test, with the timer that they share. */
  static closeAll(): void {
    for (const { gate } of Stand.#open) gate.close();
    Stand.#open.clear();
  }

  constructor(
    options: FakeOptions = {},
    adapter: Partial<Adapter<FakeRequest, FakeResponse>> = {},
    defaults: Partial<ParityDefaults> = {},
  ) {
    this.gate = makeGate(options, {
      framework: FAKE,
      warnings: new Warnings(true, (warning) => this.warnings.push(warning)),
      ...adapter,
      defaults: {
        limit: 5,
        windowMs: 60_000,
        policy: (limit, windowMs) => fixedWindow({ limit, windowMs, countRefused: true }),
        ipv6Subnet: 56,
        ipv6SubnetRange: [32, 64],
        legacyHeaders: true,
        spacedLists: true,
        legacy: { allowed: NAMES, refused: NAMES, resetAs: "delta" },
        sendsRetryAfter: true,
        fieldName: (limit, windowMs) => `${limit}-in-${windowMs}`,
        countsRefused: true,
        ...defaults,
      },
    });
    Stand.#open.add(this);
  }

  get codes(): string[] {
    return this.warnings.map(({ code }) => code);
  }

  /** Sends a request that has to be decided in the same tick. */
  enter(request = new FakeRequest(), response = new FakeResponse()): Entered {
    const outcome = this.gate.enter(request, response);
    if (outcome instanceof Promise) throw new Error("the request was not decided in the same tick");
    return { outcome, response, request };
  }

  async enterLater(request = new FakeRequest(), response = new FakeResponse()): Promise<Entered> {
    return { outcome: await this.gate.enter(request, response), response, request };
  }

  /** How many of `count` requests pass. */
  passes(count: number, request = () => new FakeRequest()): number {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      if (this.enter(request()).outcome === null) passed++;
    }
    return passed;
  }
}

export interface Entered {
  readonly outcome: Outcome;
  readonly request: FakeRequest;
  readonly response: FakeResponse;
}
