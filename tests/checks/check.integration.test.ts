/**
 * Each step of `npm run check` fails where what it guards is broken, and says what is wrong.
 *
 * Needs a build. A step that is added to the list in scripts/check.mjs gets an entry here.
 */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adding, BrokenTree, type Edits, replacing } from "./broken-tree.ts";

const TIMEOUT_MS = 120_000;

interface Defect {
  /** The title of the step, or for a step of each package its beginning and one of them. */
  readonly step: string;
  readonly what: string;
  readonly edits: Edits;
  readonly says: string | RegExp;
}

const PUBLISHED = ["cli", "core", "express", "fastify", "koa", "nats-transport"];

/** Leaves one package published, so that a step that goes through all of them is quick. */
const ONLY_KOA: Edits = Object.fromEntries(
  PUBLISHED.filter((name) => name !== "koa").map((name) => [
    `packages/${name}/package.json`,
    replacing("{", '{ "private": true,'),
  ]),
);

/** A Markdown fence; three backticks in a row would end one of this file's own pages. */
const FENCE = "`".repeat(3);

const DEFECTS: readonly Defect[] = [
  {
    step: "format and lint",
    what: "a line is not formatted",
    edits: { "scripts/file-text.mjs": adding("export  {};\n") },
    says: "file-text.mjs",
  },
  {
    step: "format and lint",
    what: "a rule that is only a warning is broken",
    edits: { "scripts/file-text.mjs": adding("for (let index of []) index;\n") },
    says: "file-text.mjs",
  },
  {
    step: "types of the scripts",
    what: "a script has a type error",
    edits: { "scripts/start.mjs": adding("Math.max('text');\n") },
    says: "scripts/start.mjs",
  },
  {
    step: "types of the examples",
    what: "an example has a type error",
    edits: { "examples/serving.mjs": adding("Math.max('text');\n") },
    says: "serving.mjs",
  },
  {
    step: "dead code and dependencies",
    what: "nothing uses an export",
    edits: { "scripts/file-text.mjs": adding("export function idle() {}\n") },
    says: "idle",
  },
  {
    step: "dead code and dependencies",
    what: "nothing uses a dependency",
    edits: { "package.json": replacing('"fast-check"', '"left-pad": "1.3.0", "fast-check"') },
    says: "left-pad",
  },
  {
    step: "publint: @tidegate/koa",
    what: "a manifest names a file that is not there",
    edits: {
      "packages/koa/package.json": replacing(/"main": "[^"]*"/, '"main": "./dist/gone.js"'),
    },
    says: "gone.js",
  },
  {
    step: "types as consumers resolve them: @tidegate/koa",
    what: "a manifest names types that are not there",
    edits: {
      "packages/koa/package.json": (text) => text.replaceAll(/[\w-]+\.d\.[mc]?ts/g, "gone.d.ts"),
    },
    says: /no types|untyped|resolution failed/i,
  },
  {
    step: "packed packages stay small",
    what: "a package has become too large",
    edits: { "packages/koa/README.md": adding(randomBytes(30_000).toString("hex")) },
    says: "@tidegate/koa is packed to",
  },
  {
    step: "packed packages stay small",
    what: "a package has too many files",
    edits: Object.fromEntries(
      Array.from({ length: 10 }, (_, file) => [`packages/koa/dist/${file}.cjs`, adding("//\n")]),
    ),
    says: "@tidegate/koa has 17 files",
  },
  {
    step: "packed declarations compile",
    what: "an exported member is declared nowhere",
    edits: { "packages/koa/dist/index.d.mts": adding('export { gone } from "./index.cjs";\n') },
    says: /packages\/koa\/dist\/index\.d\.mts.*gone/,
  },
  {
    step: "API reports",
    what: "a report lists what the package does not export",
    edits: { ...ONLY_KOA, "packages/koa/koa.api.md": adding("export const idle: number;\n") },
    says: "- export const idle: number;",
  },
  {
    step: "API reports",
    what: "a report is missing",
    edits: { ...ONLY_KOA, "packages/koa/koa.api.md": () => "" },
    says: "koa.api.md",
  },
  {
    step: "API reports",
    what: "a report belongs to no entry",
    edits: { ...ONLY_KOA, "packages/koa/koa-gone.api.md": adding("a former entry\n") },
    says: "koa-gone.api.md",
  },
  {
    step: "docs: pages of codes",
    what: "a page of codes was edited",
    edits: { "docs/reference/errors.md": adding("More.\n") },
    says: "docs/reference/errors.md",
  },
  {
    step: "docs: page of options",
    what: "an option is missing on the page",
    edits: { "docs/reference/middleware-options.md": replacing(/^\| `key`.*\n/m, "") },
    says: "docs/reference/middleware-options.md",
  },
  {
    step: "docs: code blocks compile",
    what: "a block has a type error",
    edits: { "README.md": adding(`\n${FENCE}ts\nMath.max("text");\n${FENCE}\n`) },
    says: /README\.md\(\d+,/,
  },
  {
    step: "docs: code blocks compile",
    what: "a block is marked in a way that is not known",
    edits: { "README.md": adding(`\n${FENCE}ts later\nMath.max(1);\n${FENCE}\n`) },
    says: "ts later",
  },
  {
    step: "docs: code blocks compile",
    what: "a block is in the same language by another name",
    edits: { "README.md": adding(`\n${FENCE}typescript\nMath.max(1);\n${FENCE}\n`) },
    says: "typescript",
  },
  {
    step: "docs: code blocks compile",
    what: "a block never ends",
    edits: { "README.md": adding(`\n${FENCE}ts\nMath.max("text");\n`) },
    says: "README.md",
  },
  {
    step: "docs: links lead somewhere",
    what: "a link leads to no file",
    edits: { "README.md": adding("\n[gone](docs/gone.md)\n") },
    says: "there is no docs/gone.md",
  },
  {
    step: "docs: links lead somewhere",
    what: "a packed page has a relative link",
    edits: { "packages/koa/README.md": adding("\n[docs](../../docs/README.md)\n") },
    says: "a link of a packed page starts with https://",
  },
  {
    step: "docs: links lead somewhere",
    what: "a link of a packed page leads to no file of the repository",
    edits: {
      "packages/koa/README.md": adding(
        "\n[gone](https://github.com/tidegate/tidegate/blob/main/docs/gone.md)\n",
      ),
    },
    says: "there is no docs/gone.md",
  },
  {
    step: "docs: links lead somewhere",
    what: "a link leads to no heading",
    edits: { "docs/README.md": adding("\n[gone](../README.md#gone)\n") },
    says: "README.md has no heading #gone",
  },
  {
    step: "docs: links lead somewhere",
    what: "a link names a target that the page does not define",
    edits: { "README.md": adding("\n[gone][nowhere]\n") },
    says: "nowhere",
  },
  {
    step: "docs: every page is on the site",
    what: "no list has a page",
    edits: { "docs/guides/idle.md": () => "# Idle\n" },
    says: "docs/guides/idle.md is in no list that docs/README.md leads to",
  },
  {
    step: "docs: every page is on the site",
    what: "the home page links to no page",
    edits: { "site/home.md": replacing("/guides/migrating", "/guides/gone") },
    says: "site/home.md links to /guides/gone",
  },
  {
    step: "docs: every page is on the site",
    what: "the home page shows a section that is gone",
    edits: { "README.md": replacing("## Change one import", "## Elsewhere") },
    says: "README.md has no section Change one import",
  },
];

describe("npm run check", () => {
  let tree: BrokenTree;

  beforeAll(async () => {
    tree = await BrokenTree.make();
  }, TIMEOUT_MS);

  afterAll(() => tree.remove(), TIMEOUT_MS);

  it.each(DEFECTS)(
    "$step: fails where $what",
    async ({ step, edits, says }) => {
      const { code, output } = await tree.broken(edits, () => tree.evaluate(runOf(step)));
      expect(output).toMatch(says);
      expect(code).toBe(1);
    },
    TIMEOUT_MS,
  );

  it("has no step that is not among these", async () => {
    const { output } = await tree.evaluate(
      `import { checks } from "./scripts/check.mjs";
       console.log(JSON.stringify(checks(false).map(([title]) => title)));`,
    );
    const titles: string[] = JSON.parse(output);
    expect(titles.length).toBeGreaterThan(5);
    const shown = new Set(DEFECTS.map(({ step }) => kindOf(step)));
    expect(titles.filter((title) => !shown.has(kindOf(title)))).toEqual([]);
  });

  it("counts the steps that fail", async () => {
    const { code, output } = await tree.broken(
      {
        "scripts/check.mjs": replacing(
          /\n {2}return \[\n/,
          "\n  return [['broken', async () => ({ code: 1 })], ['good', async () => ({ code: 0 })]];\n  return [\n",
        ),
      },
      () =>
        tree.evaluate(
          `import { runChecks } from "./scripts/check.mjs";
         process.exitCode = (await runChecks([])) === 1 ? 0 : 1;`,
        ),
    );
    expect(output).toContain("FAILED");
    expect(code).toBe(0);
  });
});

/** A step that is there for each package is one kind of step. */
function kindOf(title: string): string {
  return title.replace(/: (@tidegate\/.*|tidegate)$/, "");
}

/** A program that runs one step and ends with its exit code. */
function runOf(step: string): string {
  return `
    import { checks } from "./scripts/check.mjs";
    const [, work] = checks(false).find(([title]) => title === ${JSON.stringify(step)});
    const { code, output = "" } = await work();
    console.log(output);
    process.exitCode = code;`;
}
