/**
 * The npm scripts and `.ci/run` end in failure where a step fails, or a test run ends in any way but well.
 *
 * The scripts are the real ones, in a copy of the tree. For test runs the tests are replaced, and to see
 * what becomes of a failing step the steps are.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adding, BrokenTree, type Edits, replacing } from "./broken-tree.ts";

const TIMEOUT_MS = 60_000;
const TURBO_CACHE = fileURLToPath(new URL("../../.turbo/cache", import.meta.url));

let tree: BrokenTree;

beforeAll(async () => {
  tree = await BrokenTree.make();
}, TIMEOUT_MS);

afterAll(() => tree.remove(), TIMEOUT_MS);

/** Two projects, one of tests that run and one of types. */
const TEST_CONFIG = `
  import { defineConfig } from "vitest/config";
  const typecheck = {
    ...{ enabled: true, only: true, include: ["runs/*.test-d.ts"] },
    tsconfig: "./runs/tsconfig.json",
  };
  export default defineConfig({
    test: {
      projects: [
        { test: { name: "runs", include: ["runs/*.test.ts"], setupFiles: ["tests/clean-start.ts"] } },
        { test: { name: "types", include: [], typecheck } },
      ],
    },
  });`;

const TYPES_CONFIG = `{ "include": ["."], "compilerOptions": { "strict": true, "noEmit": true } }`;

const GOOD_TEST = 'it("passes", () => {});';

interface TestRun {
  readonly what: string;
  readonly test: string;
  readonly project?: string;
  readonly says: string | RegExp;
}

const BAD_RUNS: readonly TestRun[] = [
  {
    what: "a test fails",
    test: 'it("fails", () => expect(1).toBe(2));',
    says: "0 passed, 1 failed",
  },
  { what: "a test run has no test", test: "export {};", says: "0 passed, 1 failed" },
  {
    what: "every test is skipped",
    test: `it.${"skip"}("waits", () => {});`,
    says: "No test ran, which counts as a failure.\n0 passed, 1 failed, 1 skipped",
  },
  {
    what: "a file of tests does not load",
    test: `import "./not-there.ts"; ${GOOD_TEST}`,
    says: "0 passed, 1 failed",
  },
  {
    what: "a hook fails after its tests",
    test: `${GOOD_TEST} afterAll(() => { throw new Error("in a hook"); });`,
    says: /\d passed, 1 failed/,
  },
  {
    what: "a file leaves a spy that brings back a fake timer",
    test: 'it("spies", () => { vi.useFakeTimers(); vi.spyOn(globalThis, "setTimeout"); vi.useRealTimers(); });',
    says: "1 passed, 1 failed",
  },
  {
    what: "a promise is rejected and no code handles it",
    test: `${GOOD_TEST} it("rejects", () => { void Promise.reject(new Error("unseen")); });`,
    says: "2 passed, 1 failed",
  },
  {
    what: "an error is thrown after the test",
    test: `${GOOD_TEST} setTimeout(() => { throw new Error("late"); }); it("ends", () => new Promise((end) => setTimeout(end, 50)));`,
    says: "2 passed, 1 failed",
  },
  {
    what: "a worker is killed",
    test: `${GOOD_TEST} it("dies", () => { process.kill(process.pid, "SIGKILL"); });`,
    says: /\d passed, [1-9]\d* failed/,
  },
  {
    what: "a worker exits",
    test: `${GOOD_TEST} it("exits", () => { process.exit(0); });`,
    says: /\d passed, [1-9]\d* failed/,
  },
  {
    what: "a type is wrong",
    test: 'it("is a number", () => { expectTypeOf("text").toBeNumber(); });',
    project: "types",
    says: "0 passed, 1 failed",
  },
  {
    what: "a source has a type error and no test of types is wrong",
    test: `${GOOD_TEST} export const wrong: number = "text";`,
    project: "types",
    says: /\d passed, [1-9]\d* failed/,
  },
];

describe("a test run", () => {
  const runOf = ({ test, project = "runs" }: Omit<TestRun, "what" | "says">) => {
    const file = project === "types" ? "runs/it.test-d.ts" : "runs/it.test.ts";
    const edits: Edits = {
      "vitest.config.ts": () => TEST_CONFIG,
      "runs/tsconfig.json": () => TYPES_CONFIG,
      [file]: () => `import { afterAll, expect, expectTypeOf, it, vi } from "vitest";\n${test}\n`,
    };
    return tree.broken(edits, () =>
      tree.run(process.execPath, ["scripts/run.mjs", "fast", `--project=${project}`]),
    );
  };

  it.each(["runs", "types"])(
    "of %s in which all is well is green",
    async (project) => {
      const { code, output } = await runOf({ test: GOOD_TEST, project });
      expect(output).toMatch(/^1 passed, 0 failed$/m);
      expect(code).toBe(0);
    },
    TIMEOUT_MS,
  );

  it.each(BAD_RUNS)(
    "is red where $what",
    async ({ says, ...run }) => {
      const { code, output } = await runOf(run);
      expect(output).toMatch(says);
      expect(code).toBe(1);
    },
    TIMEOUT_MS,
  );
});

/** Steps that do nothing, but for the one named by the variable `FAILING`, which fails. */
const STEPS: Edits = {
  "scripts/steps.mjs": replacing(
    /return execute\(process\.execPath/,
    'if (script.startsWith("turbo")) return Promise.resolve({ code: Number(process.env.FAILING === "build") });\n  return execute(process.execPath',
  ),
  "scripts/check.mjs": () =>
    'export const answerToCheck = () => {};\nexport const runChecks = async () => Number(process.env.FAILING === "check");\n',
  "scripts/nats-server.mjs": () =>
    'export const findNatsServer = async () => {\n  if (process.env.FAILING === "nats") throw new Error("not found");\n  return "/nats-server";\n};\n',
  "scripts/vitest.mjs": () =>
    'export const runVitest = async () => ({ passed: 1, failed: Number(process.env.FAILING === "tests"), skipped: 0 });\n',
  "scripts/sabotage.mjs": () =>
    'export const runSabotages = async () => ({ failed: Number(process.env.FAILING === "sabotage") });\n',
  "scripts/tools.mjs": () =>
    'export const runTools = async () => ({ failed: Number(process.env.FAILING === "tools") });\n',
  "scripts/docs/site.mjs": () =>
    'export const buildSite = async () => ({ failed: Number(process.env.FAILING === "site") });\n',
  "scripts/runtimes.mjs": () =>
    'export const runRuntimes = async () => ({ failed: Number(process.env.FAILING === "runtimes") });\n',
};

const TEST_STEPS = ["build", "check", "nats", "tests", "tools"];

describe("a command", () => {
  const codes = (program: string, args: readonly string[], failing: readonly string[]) =>
    tree.broken(STEPS, () =>
      Promise.all(
        failing.map(async (FAILING) => [
          FAILING,
          (await tree.run(program, args, { FAILING })).code === 0 ? "green" : "red",
        ]),
      ),
    );
  const redBut = (failing: readonly string[]) =>
    failing.map((name) => [name, name === "none" ? "green" : "red"]);

  it.each([
    { name: "test", steps: TEST_STEPS },
    { name: "all", steps: [...TEST_STEPS, "sabotage", "runtimes", "site"] },
    { name: "docs", steps: ["site"] },
    { name: "fast", steps: ["tests"] },
    { name: "check", steps: ["build", "check"] },
    { name: "build", steps: ["build"] },
  ])(
    "$name is red where any one of its steps fails",
    async ({ name, steps }) => {
      const failing = ["none", ...steps];
      const run = ["scripts/run.mjs", name];
      expect(await codes(process.execPath, run, failing)).toEqual(redBut(failing));
    },
    TIMEOUT_MS,
  );

  it(
    "of continuous integration is red where the tests are",
    async () => {
      const failing = ["none", "tests"];
      expect(await codes("bash", [".ci/run"], failing)).toEqual(redBut(failing));
    },
    TIMEOUT_MS,
  );

  it("is red where dependencies cannot be installed, and where no command has its name", async () => {
    const edits: Edits = {
      "package-lock.json": replacing(
        /"node_modules\/vitest": \{/,
        '"node_modules/gone": { "version": "1.0.0" },\n"node_modules/vitest": {',
      ),
      "bin/npm": () => "#!/bin/sh\nexit 7\n",
    };
    await tree.broken(edits, async () => {
      await tree.run("chmod", ["+x", "bin/npm"]);
      const PATH = `${join(tree.root, "bin")}:${process.env["PATH"]}`;
      const { code, output } = await tree.run(process.execPath, ["scripts/run.mjs", "fast"], {
        PATH,
      });
      expect(output).toContain("gone in package-lock.json is new");
      expect(code).toBe(1);
    });
    expect((await tree.run(process.execPath, ["scripts/run.mjs", "tset"])).code).toBe(1);
  });
});

it.each([
  { name: "check", args: ["--help"], env: {}, says: "  format and lint", code: 0 },
  { name: "check", args: ["--updates"], env: {}, says: "'--updates' is not an option", code: 1 },
  { name: "start", args: ["--help"], env: {}, says: "npm start -- --nats", code: 0 },
  { name: "start", args: ["--nat"], env: {}, says: "Unknown argument", code: 1 },
  {
    name: "start",
    ...{ args: [], env: { npm_config_nats: "true" }, says: "Say: npm start -- --nats", code: 1 },
  },
  {
    name: "start",
    ...{
      args: [],
      env: { NATS_URL: "rubbish.invalid" },
      says: "NATS_URL is 'rubbish.invalid'",
      code: 1,
    },
  },
])(
  "$name answers $args with $env before it installs anything",
  async ({ name, args, env, says, code }) => {
    const edits: Edits = { "package-lock.json": () => "{}" };
    const ended = await tree.broken(edits, () =>
      tree.run(process.execPath, ["scripts/run.mjs", name, ...args], env),
    );
    expect(ended.output).toContain(says);
    expect(ended.output).not.toContain("install");
    expect(ended.output.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(ended.code).toBe(code);
  },
  TIMEOUT_MS,
);

it(
  "a source that does not compile fails the build",
  async () => {
    const edits = { "packages/koa/src/index.ts": adding('export const wrong: number = "text";\n') };
    const { code, output } = await tree.broken(edits, () =>
      tree.run(process.execPath, ["scripts/run.mjs", "build"], { TURBO_CACHE_DIR: TURBO_CACHE }),
    );
    expect(output).toContain("packages/koa");
    expect(output).toMatch(/TS2322/);
    expect(code).toBe(1);
  },
  TIMEOUT_MS,
);
