/**
 * Each test of tests/tidy fails where what it guards is broken.
 *
 * All defects are in one copy at once, and one run shows every test. A test that is added to tests/tidy
 * gets a defect here, unless one of these makes it fail already.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { adding, BrokenTree, type Edits, replacing } from "./broken-tree.ts";

const TIMEOUT_MS = 120_000;

const HEAD = "/** An idea. */\n";
/** Gives every interface of a report one more member, which no page explains. */
const withMembers = (text: string): string =>
  text.replace(/^(export interface .*\{)$/gm, "$1\n    readonly idleMember: number;");

const IDLE_OPTION = "export interface IdleOptions { readonly idle?: number; }\n";

const DEFECTS: Edits = {
  // bootstrap
  "scripts/file-text.mjs": adding('import "left-pad";\n'),
  // decisions: one without its date, and one that is not in the index
  "docs/decisions/one-judge.md": replacing(/, \d{4}-\d\d-\d\d/, ""),
  "docs/decisions/idle.md": () => "# An idea\n\nStatus: accepted, 2026-01-31\n",
  // defects; the texts are put together, since this file is read as well
  "docs/internals/defects-of-others.md": adding(`| D | it | \`a ${"title"} of no test\` |\n`),
  "docs/reference/defects-of-middleware.md": adding(`| W${9999} | it |\n`),
  // files: a name, a vague name, no comment, what is never written, a skipped test, a host, a warning,
  // a package that a lock file lacks
  "packages/core/src/crdt/Bad_Name.ts": () => "export const bad = 1;\n",
  "packages/core/src/crdt/utils.ts": () => `${HEAD}// ${"TO"}DO: later\n`,
  "packages/core/src/crdt/warned.ts": () => `${HEAD}process.emitWarning("text");\n`,
  "packages/core/test/skipped.test.ts": () => `it.${"skip"}("waits", () => {});\n`,
  "packages/core/test/vague.property.test.ts": () => "expect(1 < 0).toBe(true);\n",
  "package-lock.json": replacing("{", '{\n  "resolved": "https://example.com/x.tgz",'),
  "site/package-lock.json": replacing(
    '"packages": {',
    '"packages": { "idle": { "dependencies": { "left-pad": "1.3.0" } },',
  ),
  // layers: a folder in no part, a part that names one above it, an import upwards, a circle, an import past
  // a face, and a face with a file that is not there
  "packages/core/src/stray/idea.ts": () => HEAD,
  "tests/tidy/layers.ts": (text) =>
    replacing(
      'mayImport: ["base"]',
      'mayImport: ["base", "store"]',
    )(text).replace('face: ["http/flow/', 'face: ["http/flow/idle.ts", "http/flow/'),
  "packages/core/src/http/options/past.ts": () =>
    `${HEAD}import type { Address } from "../client/address.ts";\nexport type Past = Address;\n`,
  "packages/core/src/crdt/circle.ts": () =>
    `${HEAD}import { other } from "./ring.ts";\nimport { created } from "../limiter/limiter.ts";\nother(created);\n`,
  // a part without I/O that reads a clock
  "packages/core/src/wire/late.ts": () => `${HEAD}export const late = Date.now();\n`,
  "packages/core/src/crdt/ring.ts": () => `${HEAD}import { round } from "./circle.ts";\nround();\n`,
  // a field that keeps the number of a record
  "packages/core/src/limiter/keeper.ts": () =>
    `${HEAD}import { NO_RECORD } from "../store/table/record-id.ts";\nexport class Keeper {\n  id = NO_RECORD;\n}\n`,
  // packages: a deep import, a dependency, another form of entries, another licence,
  // another home page, another version of the core
  "packages/koa/src/index.ts": adding('export * from "@tidegate/core/src/store.ts";\n'),
  "packages/core/package.json": replacing("{", '{ "dependencies": { "left-pad": "1.3.0" },'),
  "packages/koa/package.json": (text) =>
    text
      .replace('"MIT"', '"ISC"')
      .replace('"exports": {', '"exports": { "./gone": "./gone.js",')
      .replace(/"homepage": "[^"]*"/, '"homepage": "https://example.com"')
      .replace(/"@tidegate\/core": "[^"]*"/, '"@tidegate/core": "9.9.9"'),
  // names: one of a user's page and one of a contributor's; the list of others' has one that is not theirs;
  // and the function that finds names
  "docs/guides/events.md": adding("\n`idleOption`\n"),
  "ARCHITECTURE.md": adding(`\n\`Idle${"Class"}\`\n`),
  "tests/tidy/foreign-names.json": replacing("{", '{ "others": ["createLimiter"],'),
  "tests/tidy/code-names.ts": replacing(
    ": string[] {",
    ': string[] {\n  if (code) return ["idle" + code.length];',
  ),
  // options: one of each file has no comment
  "packages/core/src/http/options/gate-options.ts": adding(IDLE_OPTION),
  "packages/express/src/options.ts": adding(IDLE_OPTION),
  "packages/koa/src/options.ts": adding(IDLE_OPTION),
  "packages/fastify/src/options.ts": adding(IDLE_OPTION),
  // pages
  "README.md": adding("\njoinCluster({ transport: natsTransport() });\n"),
  // reference: a code that no event has, and a member of each interface
  "docs/reference/status-and-events.md": adding("| `TIDEGATE_IDLE` | `warning` | never |\n"),
  "packages/core/core.api.md": (text) =>
    `${withMembers(text)}\nexport interface IdleOptions {\n    readonly idle: number;\n}\n`,
  "packages/core/core-testing.api.md": withMembers,
  "packages/nats-transport/nats-transport.api.md": withMembers,
  // the function that judges packed sizes
  "scripts/packed-size.mjs": replacing("const unbounded", 'return ["idle"];\n  const unbounded'),
  // sabotages: text that is not there, a test that is not there, a name twice
  "tests/sabotage/sabotages.json": replacing(
    "[",
    `[${JSON.stringify({ name: "idle", file: "README.md", from: "not there", caughtBy: [] })},
      ${JSON.stringify({ name: "idle", file: "README.md", from: "not there", caughtBy: [] })},`,
  ),
  // sizes: of a file, and of a function in it
  "packages/core/src/base/options.ts": adding(
    `export function long(): void {\n${"  long();\n".repeat(700)}}\n`,
  ),
  // tool settings: a file that does not parse, a script that is not there, pushes that are not tested, a vague
  // version and the right to write; a note of no package; another indentation
  ".github/workflows/idle.yml": () => "jobs: [\n",
  ".github/workflows/ci.yml": replacing("  push:\n", "  push:\n    branches: [main]\n"),
  ".github/workflows/weekly.yml": (text) =>
    text
      .replace("test:all", "test:gone")
      .replace(/@v[\d.]+/, "@v4")
      .replace("contents: read", "contents: write"),
  ".changeset/idle.md": () => '---\n"@tidegate/idle": minor\n---\n\nNothing.\n',
  ".editorconfig": replacing("indent_size = 2", "indent_size = 4"),
  // words: synonyms, and a sentence that leaves open who acts
  "docs/guides/security.md": adding(`\nWho${"ever"} reads this.\n`),
  "packages/core/src/base/decision.ts": adding("// Each peer and each packet of a node.\n"),
};

interface Outcome {
  readonly file: string;
  readonly title?: string;
  readonly state: string;
  readonly errors: readonly { readonly name: string }[];
}

it(
  "each test of tests/tidy fails where what it guards is broken",
  async () => {
    const tree = await BrokenTree.make();
    try {
      const outcomesFile = join(tree.root, "outcomes.json");
      await tree.broken(DEFECTS, () =>
        tree.run(
          process.execPath,
          [
            "node_modules/vitest/vitest.mjs",
            "run",
            "--project=unit",
            "--reporter=./scripts/outcome-reporter.mjs",
            "tests/tidy",
          ],
          { TIDEGATE_OUTCOMES_FILE: outcomesFile },
        ),
      );
      const outcomes: Outcome[] = JSON.parse(readFileSync(outcomesFile, "utf8"));
      expect(outcomes.length).toBeGreaterThan(20);
      const unnoticed = outcomes.filter(
        ({ state, errors }) =>
          state !== "failed" || errors.some(({ name }) => name !== "AssertionError"),
      );
      expect(unnoticed).toEqual([]);
    } finally {
      tree.remove();
    }
  },
  TIMEOUT_MS,
);
