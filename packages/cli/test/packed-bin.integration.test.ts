import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PACKAGES = ["core", "cli"].map((name) =>
  join(import.meta.dirname, "../..", "..", "packages", name),
);
const TIMEOUT_MS = 120_000;
const IS_WINDOWS = process.platform === "win32";

/** Needs a build. */
describe("the packed command", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tidegate-cli-"));
    writeFileSync(join(folder, "package.json"), '{ "name": "consumer", "private": true }');
    const npm = (args: readonly string[], cwd: string): string =>
      execFileSync("npm", args, { cwd, encoding: "utf8", shell: IS_WINDOWS });
    for (const path of PACKAGES)
      npm(["pack", "--loglevel=error", "--pack-destination", folder], path);
    const tarballs = readdirSync(folder).filter((file) => file.endsWith(".tgz"));
    const quiet = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"];
    npm(["install", ...quiet, ...tarballs.map((file) => `./${file}`)], folder);
  }, TIMEOUT_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const tidegate = (line: string, input = "") =>
    spawnSync(join(folder, "node_modules/.bin/tidegate"), line.split(" "), {
      cwd: folder,
      encoding: "utf8",
      input,
      shell: IS_WINDOWS,
    });

  it("explains itself", () => {
    const { status, stdout, stderr } = tidegate("sim --help");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("--replicas N");
  });

  it("simulates a fleet and writes a chart, the same each time", () => {
    const line = "sim --replicas 3 --limit 100 --load 3 --windows 3";
    const { status, stdout } = tidegate(line);
    expect(status).toBe(0);
    expect(stdout).toContain(`replay  npx tidegate@0.0.0 ${line} --seed 1`);
    expect(tidegate(line).stdout).toBe(stdout);
    expect(readFileSync(join(folder, "tidegate-sim.svg"), "utf8")).toMatch(/^<svg .*<\/svg>\n$/s);
  });

  it("is a participant of Maelstrom", () => {
    const requests = [
      { type: "init", msg_id: 1, node_id: "n1", node_ids: ["n1"] },
      { type: "add", msg_id: 2, delta: 7 },
      { type: "add", msg_id: 3, delta: -2 },
      { type: "read", msg_id: 4 },
    ];
    const input = requests
      .map((body) => JSON.stringify({ src: "c1", dest: "n1", body }))
      .join("\n");
    const { status, stdout } = tidegate("maelstrom", input);
    expect(status).toBe(0);
    const replies = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).body);
    expect(replies.map(({ type, value }) => [type, value])).toEqual([
      ["init_ok", undefined],
      ["add_ok", undefined],
      ["add_ok", undefined],
      ["read_ok", 5],
    ]);
  });

  it("ends with a code of its own after a mistake", () => {
    const { status, stderr } = tidegate("sim --replica 3");
    expect([status, stderr]).toEqual([2, expect.stringContaining("Did you mean --replicas?")]);
  });
});
