/**
 * A web application behind limiters, on a real server, in any framework.
 *
 * A framework's tests provide a `WebFramework`; cases describe the application and send requests to
 * it. Each request contains the response that it wants from the application.
 */

import type { ServerResponse } from "node:http";
import type { Limiter } from "@tidegate/core";
import type { GateOptions } from "@tidegate/core/http";
import { type ManualClock, manualClock } from "@tidegate/core/testing";
import supertest, { type Response } from "supertest";

export type SiteOptions = GateOptions<unknown, unknown>;

/** How the application answers an allowed request. */
export interface SiteAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the handler waits for before it answers. */
  readonly wait?: () => Promise<unknown>;
  /** Handles a request with Node's own response, in the place of an answer. */
  readonly handle?: (response: ServerResponse) => unknown;
}

export interface SitePlan {
  /** One limiter after the other. */
  readonly limiters: readonly SiteOptions[];
  /** Which senders the framework believes about a client's address. */
  readonly trust?: "none" | "loopback" | "all";
  /** Headers that are set before any limiter runs. */
  readonly before?: Readonly<Record<string, string>>;
  readonly answer?: SiteAnswer;
  /** Sends the headers before any limiter runs. */
  readonly isHasty?: boolean;
}

export interface Served {
  readonly url: string;
  readonly limiters: readonly Limiter[];
  close(): Promise<void>;
}

export interface WebFramework {
  readonly name: string;
  /** How the replaced limiter states the end of a window. */
  readonly resetAs: "epoch" | "delta";
  /** The names of its headers, in lower case. */
  readonly legacy: readonly [limit: string, remaining: string, reset: string];
  /** How many bits of an IPv6 address make a key. */
  readonly subnet: number;
  /** The body of a refusal with `Retry-After: 60`. */
  readonly refusal: { readonly type: string; readonly text: string };
  /** A header of a request, as a user's function reads it. */
  header(request: unknown, name: string): string | undefined;
  /** The package's function for users' own keys. */
  readonly ipKeyGenerator: (ip: string | undefined) => string;
  readonly compositeKey: (...parts: readonly (string | number)[]) => string;
  serve(plan: SitePlan): Promise<Served>;
}

/** A running application, with the clock of its limiters. */
export class Site {
  readonly clock: ManualClock;
  readonly #served: Served;
  readonly #warnings: string[];

  constructor(served: Served, clock: ManualClock, warnings: string[]) {
    this.#served = served;
    this.clock = clock;
    this.#warnings = warnings;
  }

  get url(): string {
    return this.#served.url;
  }

  get limiter(): Limiter {
    const [limiter] = this.#served.limiters;
    if (limiter === undefined) throw new Error("the site has no limiter");
    return limiter;
  }

  get limiters(): readonly Limiter[] {
    return this.#served.limiters;
  }

  /** The codes of the warnings so far, in order. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  get(headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.send("get", headers);
  }

  async send(
    method: "get" | "head" | "options" | "post",
    headers: Readonly<Record<string, string>> = {},
    body?: string,
  ): Promise<Response> {
    return await supertest(this.#served.url)[method]("/").set(headers).send(body);
  }

  /** The statuses of some requests, one after the other. */
  async statuses(
    count: number,
    headers: (index: number) => Readonly<Record<string, string>> = () => ({}),
  ): Promise<number[]> {
    const statuses: number[] = [];
    for (let index = 0; index < count; index++) {
      statuses.push((await this.get(headers(index))).status);
    }
    return statuses;
  }
}

/** Serves an application while `visit` lasts. */
export async function visit(
  framework: WebFramework,
  plan: SitePlan | SiteOptions,
  visit: (site: Site) => Promise<void>,
): Promise<void> {
  const clock = manualClock(1_000);
  const warnings: string[] = [];
  const { emitWarning } = process;
  process.emitWarning = ((text: string, options?: { type?: string; code?: string }) => {
    if (options?.type === "TidegateWarning") warnings.push(options.code ?? "");
    else emitWarning(text, options);
  }) as typeof emitWarning;
  const full: SitePlan = "limiters" in plan ? plan : { limiters: [plan] };
  const limiters = full.limiters.map((options) => ({ clock, ...options }));
  const served = await framework.serve({ ...full, limiters });
  try {
    await visit(new Site(served, clock, warnings));
  } finally {
    await served.close();
    process.emitWarning = emitWarning;
  }
}
