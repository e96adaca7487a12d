import { execFile } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";

/** The tests of @fastify/rate-limit that fail here, with the row of the differences that says why. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  "create-rate-limit.test.js: With { increment: false } and exponentialBackoff the peek reports the base window without escalating it":
    "backoff",
  "create-rate-limit.test.js: With { increment: false } it throws a clear error when the store has no read method":
    "stores",
  "exponential-backoff.test.js: MAx safe Exponential Backoff": "long-window",
  "global-rate-limit.test.js: When passing NaN to the timeWindow property then the timeWindow should be the default value - 60 seconds":
    "no-number",
  "global-rate-limit.test.js: With CustomStore": "stores",
  "global-rate-limit.test.js: when passing NaN to max variable then it should use the default max - 1000":
    "no-number",
  "global-rate-limit.test.js: wrong timewindow": "no-number",
  "group-rate-limit.test.js: Invalid groupId type": "error-texts",
  "ip-normalization.test.js: invalid ipv6Subnet values fall back to /64": "no-subnet",
  "route-rate-limit.test.js: With CustomStore": "stores",
  "route-rate-limit.test.js: With NaN in subroute config": "no-number",
  "route-rate-limit.test.js: no rate limit with bad rate-limit parameters": "error-texts",
  "route-rate-limit.test.js: timeWindow specified as a string": "stores",
};

interface Outcome {
  readonly outcome: "passed" | "failed" | "skipped";
  readonly title: string;
  readonly error?: string;
}

const HELPERS = fileURLToPath(new URL("peer-suite/", import.meta.url));
const require = createRequire(import.meta.url);
const THEIRS = dirname(require.resolve("@fastify/rate-limit"));

/** A copy of the tests, but for those of Redis, that finds the built plugin in the place of its own. */
function copyTheirTests(): string {
  const folder = mkdtempSync(join(tmpdir(), "tidegate-peer-suite-"));
  cpSync(join(THEIRS, "test"), join(folder, "test"), {
    recursive: true,
    filter: (path) => !path.includes("redis"),
  });
  writeFileSync(join(folder, "index.js"), 'module.exports = require("@tidegate/fastify");');
  const modules = require.resolve("fastify").replace(/(?<=[\\/]node_modules)[\\/].*/, "");
  symlinkSync(modules, join(folder, "node_modules"), "junction");
  return folder;
}

function runTests(folder: string): Promise<Outcome[]> {
  const files = readdirSync(join(folder, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.js"))
    .map((file) => join(folder, "test", file));
  const reporter = pathToFileURL(join(HELPERS, "reporter.cjs")).href;
  const preloaded = join(HELPERS, "reset-timers.cjs");
  const how = ["--require", preloaded, "--test", "--test-reporter", reporter];
  return new Promise((resolve, reject) => {
    // It exits with 1 where a test fails, which says nothing that the outcomes do not.
    execFile(process.execPath, [...how, ...files], { cwd: folder }, (error, stdout, stderr) => {
      const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
      if (lines.length > 0) resolve(lines.map((line) => JSON.parse(line)));
      else reject(new Error(`no test ran: ${error?.message}\n${stderr}`));
    });
  });
}

describe("the tests of @fastify/rate-limit", () => {
  let outcomes: readonly Outcome[] = [];
  const titlesOf = (wanted: Outcome["outcome"]): string[] =>
    outcomes.filter(({ outcome }) => outcome === wanted).map(({ title }) => title);

  beforeAll(async () => {
    const folder = copyTheirTests();
    outcomes = await runTests(folder).finally(() => rmSync(folder, { recursive: true }));
  }, 120_000);

  it("pass, but for those that a row of the differences explains", () => {
    const unexplained = outcomes.filter(
      ({ outcome, title }) => outcome === "failed" && !Object.hasOwn(DIFFERENCES, title),
    );
    expect(unexplained).toEqual([]);
    expect(titlesOf("passed")).toHaveLength(84);
  });

  it("fail where a row says so", () => {
    expect(titlesOf("failed").sort()).toEqual(Object.keys(DIFFERENCES).sort());
    const page = new URL("../../../docs/reference/fastify-differences.md", import.meta.url);
    const text = readFileSync(page, "utf8");
    const unwritten = Object.values(DIFFERENCES).filter((id) => !text.includes(`| \`${id}\` |`));
    expect(unwritten).toEqual([]);
  });
});
