/**
 * The process of one application: `site-worker.js <parameters as JSON>`, started by `SiteProcess`.
 *
 * Whenever it is told to, it answers a round of requests and says how much of the processor's time each
 * took, so that neighbours take less away. Rubbish is collected before the clock starts.
 */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import process, { argv } from "node:process";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Reply } from "../asked-process.ts";
import { collectYoungGarbage } from "../measure/collector.ts";
import { clients, exchange, type Family, type RequestListener, sentFields } from "./exchange.ts";
import { type FrameworkName, type LimiterName, siteOf, type Unlimited } from "./site.ts";

export interface SiteParameters {
  readonly framework: FrameworkName;
  readonly limiter: LimiterName | Unlimited;
  readonly sendsHeaders: boolean;
  readonly family: Family;
  readonly clients: number;
  readonly requests: number;
  /** The workers beside another commit's packages, if the limiter is to be of that commit. */
  readonly workers?: string | undefined;
}

const FIELDS = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
/** What Node puts off to the end of a turn holds the response: without turns, all of them would live on. */
const PER_TURN = 8;

const [given] = argv.slice(2);
if (process.send === undefined || given === undefined) {
  throw new Error("an application is started by the scenario that times it");
}
const parameters: SiteParameters = JSON.parse(given);
const sockets = clients(parameters.clients, parameters.family);
const opening = open();
process.on("disconnect", () => process.exit());
process.on("message", () => {
  opening.then(time).then(
    (value) => process.send?.({ value } satisfies Reply),
    (error: unknown) => process.send?.({ error: String(error) } satisfies Reply),
  );
});

async function open(): Promise<RequestListener> {
  const make = await siteOf(parameters.framework);
  const listener = await make(parameters.limiter, parameters.sendsHeaders);
  await verify(parameters, listener, sockets[0]!);
  return listener;
}

/** Nanoseconds of the processor per request. */
async function time(listener: RequestListener): Promise<number> {
  const { requests } = parameters;
  collectYoungGarbage();
  const before = process.cpuUsage();
  for (let index = 0; index < requests; index++) {
    const { statusCode } = await exchange(listener, sockets[index % sockets.length]!);
    if (statusCode !== 200) throw new Error(`a request was answered with ${statusCode}`);
    if (index % PER_TURN === 0) await nextTurn();
  }
  const { user, system } = process.cpuUsage(before);
  return (1_000 * (user + system)) / requests;
}

/** A limiter that sends other headers than the rest, or does not count, would be compared in vain. */
async function verify(
  { limiter, sendsHeaders }: SiteParameters,
  listener: RequestListener,
  client: Socket,
): Promise<void> {
  const told: string[] = [];
  for (let request = 0; request < 2; request++) {
    told.push(remainingTold(await exchange(listener, client)));
  }
  const counts = sendsHeaders ? Number(told[0]) - Number(told[1]) : 0;
  const expected = sendsHeaders ? 1 : 0;
  const isSilent = told.every((text) => text === "");
  if (counts !== expected || isSilent === sendsHeaders) {
    throw new Error(`${limiter} told of ${told.join(" and ")} remaining requests`);
  }
}

/** What is said to remain; empty where nothing is said. */
function remainingTold(response: ServerResponse): string {
  const fields = sentFields(response);
  const names = [...fields.keys()].filter((name) => name.includes("ratelimit")).toSorted();
  if (names.length === 0) return "";
  if (names.join() !== FIELDS.join()) throw new Error(`sent were ${names.join()}`);
  return fields.get("x-ratelimit-remaining") ?? "";
}
