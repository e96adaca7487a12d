/**
 * What tidegate claims about the cost of a request, held against what was measured.
 *
 * Judged is the middle of all rounds, without what it costs to serve the request and to pass it on; the notes say how it is in
 * the tenth of them that was disturbed least.
 */

import { type FrameworkName, type LimiterName, PEERS } from "../http/site.ts";
import type { Reading } from "../reading.ts";
import type { RequestCostRecord } from "../scenarios/http/request-cost.ts";
import type { Finding } from "../section.ts";
import { atMost, type TargetResult } from "../target.ts";

/** How much of what the peer adds, with the same headers. */
const OF_PEER: Readonly<Record<FrameworkName, number>> = { Express: 0.55, Koa: 0.8, Fastify: 0.8 };
/** The same without headers. */
const OF_PEER_SILENT: Readonly<Record<FrameworkName, number>> = {
  Express: 0.5,
  Koa: 0.5,
  Fastify: 0.6,
};
const OF_HAND_WRITTEN = 1.3;

/** One result per claim. */
export function httpTargets(findings: readonly Finding[]): TargetResult[] {
  const records = findings.flatMap(({ record }) => (record.kind === "requestCost" ? record : []));
  const judge = (
    framework: FrameworkName,
    other: LimiterName,
    sendsHeaders: boolean,
    bound: number,
  ): TargetResult => {
    const name = other === "peer" ? PEERS[framework] : "a limiter by hand";
    const claim =
      `${framework}, ${sendsHeaders ? "with" : "without"} headers: ` +
      `adds at most ${bound} × what ${name} adds`;
    return atMost(bound, "×", claim, added(records, framework, other, sendsHeaders));
  };
  return (Object.keys(PEERS) as FrameworkName[]).flatMap((framework) => [
    judge(framework, "peer", false, OF_PEER_SILENT[framework]),
    judge(framework, "peer", true, OF_PEER[framework]),
    judge(framework, "by hand", true, OF_HAND_WRITTEN),
  ]);
}

/** What tidegate adds beside what another limiter adds. */
function added(
  records: readonly RequestCostRecord[],
  framework: FrameworkName,
  other: LimiterName,
  sendsHeaders: boolean,
): Reading | undefined {
  const find = (wanted: LimiterName): RequestCostRecord | undefined =>
    records.find(
      (record) =>
        record.framework === framework &&
        record.family === 4 &&
        record.limiter === wanted &&
        record.sendsHeaders === sendsHeaders,
    );
  const [own, theirs] = [find("tidegate"), find(other)];
  if (own === undefined || theirs === undefined) return undefined;
  const low = own.addedNsLow / theirs.addedNsLow;
  return {
    value: own.addedNs / theirs.addedNs,
    note: `${own.addedNs.toFixed(0)} and ${theirs.addedNs.toFixed(0)} ns; least disturbed ${low.toFixed(2)} ×`,
  };
}
