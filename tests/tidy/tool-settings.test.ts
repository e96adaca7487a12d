/**
 * What GitHub and editors read of the repository: workflows, forms, change notes, .editorconfig.
 *
 * No program here runs a workflow, so a script that was renamed would be found by the next release. These
 * tests follow each command of a workflow to what it calls.
 */

import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { FILES, read } from "./source-tree.ts";

const MANIFEST = JSON.parse(read("package.json"));
const SETTINGS = FILES.filter((file) => /^\.github\/.*\.ya?ml$/.test(file));
const WORKFLOWS = SETTINGS.filter((file) => file.startsWith(".github/workflows/")).map((file) => ({
  file,
  workflow: (parseDocument(read(file)).toJS() ?? {}) as Workflow,
}));
const NOTES = FILES.filter((file) => /^\.changeset\/.*\.md$/.test(file));

interface Workflow {
  readonly on?: Readonly<Record<string, unknown>>;
  readonly permissions?: Permissions;
  readonly jobs?: Readonly<Record<string, Job>>;
}

type Permissions = Readonly<Record<string, string>>;

interface Job {
  readonly permissions?: Permissions;
  readonly strategy?: { readonly matrix?: { readonly node?: readonly string[] } };
  readonly steps?: readonly Step[];
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

describe("workflows", () => {
  it("and forms of issues are YAML that parses", () => {
    const problems = SETTINGS.flatMap((file) => {
      const { errors, warnings } = parseDocument(read(file));
      return [...errors, ...warnings].map(({ message }) => `${file}: ${message}`);
    });
    expect(SETTINGS.length).toBeGreaterThan(4);
    expect(problems).toEqual([]);
  });

  it("call npm scripts, programs and files that exist", () => {
    const called = stepsOf(WORKFLOWS).flatMap(({ file, step }) =>
      commandsOf(step).flatMap((command) =>
        problemsWith(command).map((what) => `${file}: ${what}`),
      ),
    );
    expect(called).toEqual([]);
  });

  it("test every push and pull request by .ci/run, with the oldest Node that is allowed", () => {
    const oldest = MANIFEST.engines.node.replace(">=", "");
    const tested = WORKFLOWS.filter(
      ({ workflow: { on, jobs = {} } }) =>
        // Without branches or paths, which would leave some out.
        on?.["push"] === null &&
        on["pull_request"] === null &&
        Object.values(jobs).some(
          ({ steps = [], strategy }) =>
            steps.some(({ run }) => run === ".ci/run") &&
            strategy?.matrix?.node?.some((version) => version.startsWith(oldest)),
        ),
    );
    expect(tested.map(({ file }) => file)).toEqual([".github/workflows/ci.yml"]);
  });

  it("name each action by its full version, which says what runs", () => {
    const actions = stepsOf(WORKFLOWS).flatMap(({ file, step }) =>
      step.uses === undefined ? [] : [`${file}: ${step.uses}`],
    );
    expect(actions.length).toBeGreaterThan(4);
    expect(actions.filter((action) => !/@(v\d+\.\d+\.\d+|[0-9a-f]{40})$/.test(action))).toEqual([]);
  });

  it("write only what the default branch has", () => {
    const writing = WORKFLOWS.filter(({ workflow }) =>
      [workflow, ...Object.values(workflow.jobs ?? {})].some(({ permissions }) =>
        Object.values(permissions ?? {}).includes("write"),
      ),
    );
    const careless = WORKFLOWS.filter(({ workflow }) => workflow.permissions === undefined);
    expect(careless.map(({ file }) => file)).toEqual([]);
    expect(writing.map(({ file, workflow }) => [file, workflow.on])).toEqual([
      [".github/workflows/docs.yml", { push: { branches: ["main"] } }],
      [".github/workflows/release.yml", { push: { branches: ["main"] } }],
    ]);
  });
});

describe("change notes", () => {
  it("name published packages, and say something to their users", () => {
    const published = FILES.filter((file) => /^packages\/[^/]+\/package\.json$/.test(file))
      .map((file) => JSON.parse(read(file)))
      .filter((manifest) => manifest.private !== true)
      .map(({ name }) => name);
    const odd = NOTES.filter((file) => {
      const [, head = "", text = ""] = /^---\n(.*?)\n---\n\n(.*)/s.exec(read(file)) ?? [];
      const sizes = Object.entries(parseDocument(head).toJS() ?? {});
      const isSize = ([name, size]: [string, unknown]): boolean =>
        published.includes(name) && /^(major|minor|patch)$/.test(String(size));
      return sizes.length === 0 || !sizes.every(isSize) || text.trim() === "";
    });
    expect(odd).toEqual([]);
  });
});

describe(".editorconfig", () => {
  it("says of code what biome.json says", () => {
    const { indentStyle, indentWidth, lineWidth } = JSON.parse(read("biome.json")).formatter;
    const settings = Object.fromEntries(
      Array.from(read(".editorconfig").matchAll(/^(\w+) = (.+)$/gm), ([, name, value]) => [
        name,
        value,
      ]),
    );
    expect(settings).toMatchObject({
      indent_style: indentStyle,
      indent_size: String(indentWidth),
      max_line_length: String(lineWidth),
    });
  });
});

function stepsOf(workflows: typeof WORKFLOWS): { file: string; step: Step }[] {
  return workflows.flatMap(({ file, workflow }) =>
    Object.values(workflow.jobs ?? {}).flatMap(({ steps = [] }) =>
      steps.map((step) => ({ file, step })),
    ),
  );
}

/** What a step runs itself, and what it gives to an action to run. */
function commandsOf({ run, with: given = {} }: Step): string[] {
  return [run, given["version"], given["publish"]].filter((command) => typeof command === "string");
}

function problemsWith(command: string): string[] {
  const missing = (pattern: RegExp, exists: (name: string) => boolean): string[] =>
    Array.from(command.matchAll(pattern), ([, name]) => name ?? "").filter((name) => !exists(name));
  return [
    ...missing(/\bnpm run ([\w:-]+)/g, (name) => name in MANIFEST.scripts),
    ...missing(/\bnpm (test|start)\b/g, (name) => name in MANIFEST.scripts),
    ...missing(/\bnpx ([\w@/.-]+)/g, isInstalled),
    ...missing(/(?<![\w"./@])((?:\.\/)?(?:\.ci|scripts|packages)\/[\w./-]+)/g, (file) =>
      FILES.includes(file.replace("./", "")),
    ),
  ].map((name) => `there is no ${name}, which '${command}' calls`);
}

/** Whether a package that the repository names brings this program. */
function isInstalled(program: string): boolean {
  return Object.keys(MANIFEST.devDependencies)
    .filter((name) => name !== "@tidegate/testkit")
    .some((name) => {
      const { bin = {} } = JSON.parse(read(`node_modules/${name}/package.json`));
      return typeof bin === "string" ? name === program : program in bin;
    });
}
