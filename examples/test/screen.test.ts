/** What `npm start` shows fits into a small terminal, and is about the window that runs. */

import { afterEach, beforeEach, expect, it, vi } from "vitest";

const COLUMNS = 60;
const ROWS = 24;

interface Counts {
  readonly allowed: number;
  readonly refused: number;
  readonly used: number;
  readonly endsAt: number;
  readonly at: number;
  readonly replica: string;
  readonly received: readonly string[];
}

interface Shown {
  show(): void;
  note(line: string): void;
}

const { Screen } = (await import(
  new URL("../three-frameworks/screen.mjs", import.meta.url).href
)) as { Screen: new (servers: unknown, natsPid: string | undefined, out: unknown) => Shown };

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The screen of three servers, and what it has written. */
function screenOf(counts: Partial<Counts>, natsPid?: string) {
  const servers = ["Express", "Koa", "Fastify"].map((name, index) => ({
    name,
    address: `http://127.0.0.1:${65_000 + index}`,
    child: { pid: 4_194_000 + index },
    isRunning: true,
    counts: {
      allowed: 0,
      refused: 0,
      used: 0,
      endsAt: 0,
      at: 0,
      replica: name,
      received: [],
      ...counts,
    },
  }));
  const written: string[] = [];
  const out = { isTTY: true, columns: COLUMNS, write: (text: string) => written.push(text) };
  return { screen: new Screen(servers, natsPid, out), servers, written };
}

const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9]*[A-Z]`, "g");

it("npm start: all it shows fits into 60 columns and 24 rows, cut off and over NATS as well", () => {
  const counts = { allowed: 1_000_000, refused: 1_000_000, used: 12, at: Date.now() };
  const { screen, written } = screenOf({ ...counts, endsAt: Date.now() + 60_000 }, "4194303");
  screen.show();
  const lines = written.join("").replace(ESCAPES, "").split("\n");
  expect(lines.filter((line) => line.length > COLUMNS)).toEqual([]);
  // The last line is the empty one in which the cursor stands.
  expect(lines.length).toBeLessThanOrEqual(ROWS);
  expect(lines).toContain("until they reach each other, each counts alone");
  expect(lines.filter((line) => line.includes("receives 0 of 2 others"))).toHaveLength(3);
  expect(lines.filter((line) => line.includes("kill 4194303"))).toHaveLength(1);
});

it("npm start: counts begin again with the next window", () => {
  const endsAt = Date.now() + 2_000;
  const { screen, written } = screenOf({
    allowed: 4,
    refused: 1,
    used: 12,
    at: Date.now(),
    endsAt,
    received: ["Express", "Koa", "Fastify"],
  });
  screen.show();
  expect(written.join("")).toMatch(/together +12 +3\n/);
  written.length = 0;
  vi.advanceTimersByTime(2_000);
  screen.show();
  expect(written.join("")).toMatch(/together +0 +0\n/);
  expect(written.join("")).toContain("0 of 12\n");
});

it("npm start: says how much of the limit is used, and why it may be more than that", () => {
  const endsAt = Date.now() + 60_000;
  const received = ["Express", "Koa", "Fastify"];
  const { screen, servers, written } = screenOf({ used: 12, at: Date.now(), endsAt, received });
  screen.show();
  expect(written.join("")).toContain("12 of 12, resets in 60 s\n");
  servers[1]!.counts.used = 14;
  servers[1]!.counts.at++;
  screen.show();
  const line = "14 of 12, resets in 60 s; 2 passed before all knew";
  expect([written.join("").includes(`${line}\n`), line.length <= COLUMNS]).toEqual([true, true]);
});

it("npm start: a warning stays above the table, which is written anew below it", () => {
  const { screen, written } = screenOf({ at: Date.now() });
  screen.show();
  written.length = 0;
  screen.note("(node:1) a warning");
  const text = written.join("");
  expect(text.startsWith("\u001b[6A\u001b[J(node:1) a warning\n")).toBe(true);
  expect(text.indexOf("together")).toBeGreaterThan(text.indexOf("a warning"));
});
