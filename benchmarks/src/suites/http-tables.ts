/**
 * Findings of the suite `http` for people.
 */

import { type FrameworkName, type LimiterName, PEERS } from "../http/site.ts";
import { columns } from "../report/columns.ts";
import type { ScenarioRecord } from "../scenarios/catalogue.ts";
import type { FleetRecord } from "../scenarios/http/fleet.ts";
import type { RequestCostRecord } from "../scenarios/http/request-cost.ts";
import type { SocketCostRecord } from "../scenarios/http/socket-cost.ts";

/** A table for each kind of record that there is. */
export function httpTables(records: readonly ScenarioRecord[]): string[] {
  return [
    ...(Object.keys(PEERS) as FrameworkName[]).flatMap((framework) =>
      [4, 6].map((family) => requestTable(requestsOf(records, framework, family))),
    ),
    socketTable(records.filter((record) => record.kind === "socketCost")),
    fleetTable(records.filter((record) => record.kind === "fleet")),
  ];
}

function requestsOf(
  records: readonly ScenarioRecord[],
  framework: FrameworkName,
  family: number,
): RequestCostRecord[] {
  return records.flatMap((record) =>
    record.kind === "requestCost" && record.framework === framework && record.family === family
      ? record
      : [],
  );
}

function requestTable(records: readonly RequestCostRecord[]): string {
  if (records.length === 0) return "";
  const { family, clients, requests, rounds, bareNs, passingNs } = records[0]!;
  const title = [
    `${clients} ${family === 4 ? "addresses" : "IPv6 networks"}, all allowed; ${rounds} rounds of ${requests}`,
    `a request without a limiter ${bareNs.toFixed(0)} ns`,
    `passing it on ${passingNs.toFixed(0)} ns`,
  ].join("; ");
  const rows = records.map((record) => {
    const own = records.find(
      ({ limiter, sendsHeaders }) => limiter === "tidegate" && sendsHeaders === record.sendsHeaders,
    )!;
    const isOwn = record === own;
    return [
      record.framework,
      nameOf(record.framework, record.limiter),
      record.sendsHeaders ? "with headers" : "without",
      record.addedNs.toFixed(0),
      isOwn ? "–" : (own.addedNs / record.addedNs).toFixed(2),
      record.addedNsLow.toFixed(0),
      isOwn ? "–" : (own.addedNsLow / record.addedNsLow).toFixed(2),
      isOwn ? "–" : (wholeOf(own) / wholeOf(record)).toFixed(2),
    ];
  });
  const headings = [
    ...["", "", "", "added, ns", "tidegate ×"],
    ...["added at p10, ns", "tidegate ×, p10", "passing on included"],
  ];
  return `${title}\n${columns(headings, rows, ["left", "left", "left"])}`;
}

function socketTable(records: readonly SocketCostRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map(({ framework, limiter, whole, lowNs }) => [
    framework,
    limiter === "nothing" ? "no limiter" : nameOf(framework, limiter),
    (whole.median / 1_000).toFixed(1),
    `±${(whole.spread * 100).toFixed(0)} %`,
    (lowNs / 1_000).toFixed(1),
  ]);
  const headings = ["", "", "µs/request", "spread", "p10, µs"];
  return columns(headings, rows, ["left", "left"]);
}

function fleetTable(records: readonly FleetRecord[]): string {
  const [first] = records;
  if (first === undefined) return "";
  const { processes, limit, windowMs, requestsPerSecond } = first;
  const title = [
    `${processes} processes of Express, one client`,
    `a limit of ${limit} in ${windowMs / 1_000} s`,
    `${requestsPerSecond} requests a second, to each process in turn`,
  ].join("; ");
  const rows = records.map(({ limiter, perWindow }) => [
    nameOf("Express", limiter),
    perWindow.join(", "),
    ((100 * Math.max(...perWindow)) / limit).toFixed(0),
  ]);
  return `${title}\n${columns(["", "admitted in each window", "most, % of the limit"], rows)}`;
}

/** What comes with a limiter in all. */
function wholeOf({ passingNs, addedNs }: RequestCostRecord): number {
  return passingNs + addedNs;
}

function nameOf(framework: FrameworkName, limiter: LimiterName): string {
  return limiter === "peer" ? PEERS[framework] : limiter;
}
