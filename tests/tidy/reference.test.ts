/**
 * The reference pages name everything that the API reports list, and so everything that users can set
 * or see.
 */

import { expect, it } from "vitest";
import { read } from "./source-tree.ts";

const OPTIONS = "docs/reference/options.md";
const STATUS = "docs/reference/status-and-events.md";
const DECISION = "docs/guides/what-remaining-means.md";

/** Every interface whose members users give or get, and the page on which each member is explained. */
const EXPLAINED: readonly (readonly [report: string, name: string, page: string])[] = [
  ["core/core", "LimiterOptions", OPTIONS],
  ["core/core", "ClusterOptions", OPTIONS],
  ["core/core", "CallOptions", OPTIONS],
  ["core/core", "ReleaseOptions", OPTIONS],
  ["core/core", "CommonPolicyOptions", OPTIONS],
  ["core/core", "FixedWindowOptions", OPTIONS],
  ["core/core", "SlidingWindowOptions", OPTIONS],
  ["core/core", "SlidingLogOptions", OPTIONS],
  ["core/core", "TokenBucketOptions", OPTIONS],
  ["core/core", "LeakyBucketOptions", OPTIONS],
  ["core/core", "ConcurrencyOptions", OPTIONS],
  ["core/core-testing", "MemoryNetworkOptions", OPTIONS],
  ["nats-transport/nats-transport", "NatsTransportOptions", OPTIONS],
  ["nats-transport/nats-transport", "NatsTransportStatus", "packages/nats-transport/README.md"],
  ["core/core", "ClusterStatus", STATUS],
  ["core/core", "OtherReplica", STATUS],
  ["core/core", "LimiterStatus", STATUS],
  ["core/core", "DecisionEvent", STATUS],
  ["core/core", "PressureEvent", STATUS],
  ["core/core", "ClusterEvent", STATUS],
  ["core/core", "PolicyResult", DECISION],
];

/** What a policy says of its calendar; users give its parts to `fixedWindow`. */
const NOT_GIVEN = "CalendarOptions";

it.each(EXPLAINED)("%s: every member of %s is explained in %s", (report, name, page) => {
  const explained = read(page);
  const members = membersOf(read(`packages/${report}.api.md`), name);
  expect(members.length).toBeGreaterThan(0);
  const missing = members.filter(
    (member) => !new RegExp(`\`[\\w.]*\\b${member}\\b`).test(explained),
  );
  expect(missing).toEqual([]);
});

it("every interface of options, status or events in a report of core is on that list, with its parts", () => {
  const listed = new Set([NOT_GIVEN, ...EXPLAINED.map(([, name]) => name)]);
  const named = /(Options|Status|Event)$/;
  const reports = ["core/core", "core/core-testing", "core/core-ipc"];
  const found = reports.flatMap((report) => {
    const text = read(`packages/${report}.api.md`);
    const names = Array.from(text.matchAll(/^export interface (\w+)/gm), ([, name = ""]) => name);
    const bodies = names.filter((name) => /Status$/.test(name)).map((name) => bodyOf(text, name));
    const isPart = (name: string): boolean =>
      bodies.some((body) => new RegExp(`: .*\\b${name}\\b`).test(body));
    return names.filter((name) => named.test(name) || isPart(name));
  });
  const missing = found.filter((name) => !listed.has(name));
  expect(missing.map((name) => `${name}: add it to EXPLAINED with its page`)).toEqual([]);
});

/** The names of an interface's own members, nested ones included. */
function membersOf(report: string, name: string): string[] {
  return Array.from(
    bodyOf(report, name).matchAll(/^ +(?:readonly )?(\w+)\??:/gm),
    ([, member = ""]) => member,
  );
}

function bodyOf(report: string, name: string): string {
  const start = report.search(new RegExp(`^export interface ${name}\\b`, "m"));
  if (start < 0) throw new Error(`there is no interface ${name} in the report`);
  return report.slice(start, report.indexOf("\n}", start));
}

it("every code of a cluster event is in the reference with its severity, and no other", () => {
  const sources = [
    "packages/core/src/base/cluster-events.ts",
    "packages/nats-transport/src/events.ts",
  ];
  const coded = /code: "(?<code>TIDEGATE_\w+)", severity: "(?<severity>\w+)"/g;
  const pairs = (texts: readonly string[], pattern: RegExp): Set<string> => {
    const found = texts.flatMap((text) => [...text.matchAll(pattern)]);
    return new Set(found.map(({ groups }) => `${groups?.["code"]} ${groups?.["severity"]}`));
  };
  const row = /^\| `(?<code>TIDEGATE_\w+)` \| `(?<severity>\w+)` \|/gm;
  const inSources = pairs(sources.map(read), coded);
  expect(inSources.size).toBeGreaterThan(30);
  expect(pairs([read(STATUS)], row)).toEqual(inSources);
});
