/**
 * Breaks the sources on purpose, in one way at a time, and checks that the tests notice.
 *
 * A test that has never failed may be unable to fail. So each sabotage replaces some text of one
 * source, and the tests that it names must then fail by an assertion: a source that does not
 * compile or that throws proves nothing. Without a sabotage all of these tests pass, and each run
 * is the same.
 *
 * Sabotages are made in a copy of the tree. `node scripts/sabotage.mjs relay` runs those with that
 * word in their name.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { execute, ROOT, say, step } from "./steps.mjs";
import { copyTree } from "./tree-copy.mjs";

const SABOTAGES = "tests/sabotage/sabotages.json";

/**
 * What to copy of the root: packages, whose sources the tests use, and `tests`, which sets them up.
 */
const isCopied = (entry) => ["packages", "tests"].includes(entry) || /\.(json|ts)$/.test(entry);

/** The same histories each time, independent of the environment. */
const SAME_EACH_TIME = { TIDEGATE_TEST_SEED: "20200229", TIDEGATE_TEST_SCALE: "1" };

/**
 * Runs all sabotages, or those with a word in their name, and resolves to the number of failed
 * steps.
 */
export async function runSabotages(word = "") {
  const all = JSON.parse(readFileSync(join(ROOT, SABOTAGES), "utf8"));
  const sabotages = all.filter(({ name }) => name.includes(word));
  if (sabotages.length === 0) {
    say(`No sabotage has '${word}' in its name; there are:`);
    for (const { name } of all) say(`  ${name}`);
    return { failed: 1 };
  }
  const copy = mkdtempSync(join(tmpdir(), "tidegate-sabotage-"));
  try {
    copyTree(copy, { takes: isCopied, without: ["dist"] });
    const pass = () => expectPassing(copy, sabotages);
    if (!(await step("sabotage: the tests pass without any", pass))) return { failed: 1 };
    let caught = 0;
    for (const sabotage of sabotages) {
      const run = () => expectCaught(copy, sabotage);
      if (await step(`sabotage: ${sabotage.name}`, run)) caught += 1;
    }
    say(`  ${caught} of ${sabotages.length} sabotages were caught`);
    return { failed: sabotages.length - caught };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function expectPassing(copy, sabotages) {
  const tests = sabotages.flatMap(({ caughtBy }) => caughtBy);
  const failed = (await runTests(copy, tests)).filter(({ state }) => state !== "passed");
  return { code: failed.length === 0 ? 0 : 1, output: failed.map(described).join("\n") };
}

async function expectCaught(copy, { broken, file, from, to, caughtBy }) {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  const places = source.split(from).length - 1;
  if (places !== 1) {
    const found = `${file} has the text to replace ${places} times instead of once`;
    return { code: 1, output: `${found}: update this sabotage in ${SABOTAGES}` };
  }
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
  try {
    const escaped = (await runTests(copy, caughtBy)).filter((outcome) => !isCaught(outcome));
    if (escaped.length === 0) return { code: 0 };
    const what = `Not caught, or not by an assertion: ${broken}`;
    return { code: 1, output: [what, ...escaped.map(described)].join("\n") };
  } finally {
    writeFileSync(path, source);
  }
}

function isCaught({ state, errors }) {
  const isAsserted = errors.every(({ name }) => name === "AssertionError");
  return state === "failed" && errors.length > 0 && isAsserted;
}

function described({ file, title, state, errors }) {
  const reasons = errors.map(({ name, message }) => `    ${name}: ${message}`);
  return [`  ${file}: "${title}" ${state}`, ...reasons].join("\n");
}

/** Runs some tests in the copy; resolves to the outcomes of all tests with those titles. */
async function runTests(copy, tests) {
  const outcomesFile = join(copy, "outcomes.json");
  rmSync(outcomesFile, { force: true });
  const files = new Set(tests.map(({ file }) => file));
  // Other characters may mean something in a pattern.
  const titles = new Set(tests.map(({ title }) => `${title.replace(/\W/g, "\\$&")}$`));
  const options = [
    `--reporter=${ROOT}/scripts/outcome-reporter.mjs`,
    "--project=!types",
    `--testNamePattern=${[...titles].join("|")}`,
  ];
  const { output } = await execute(
    process.execPath,
    [join(copy, "node_modules/vitest/vitest.mjs"), "run", ...options, ...files],
    { cwd: copy, env: { ...SAME_EACH_TIME, TIDEGATE_OUTCOMES_FILE: outcomesFile } },
  );
  // The run may have ended before its report.
  const outcomes = existsSync(outcomesFile) ? JSON.parse(readFileSync(outcomesFile, "utf8")) : [];
  return tests.flatMap((test) => outcomesOf(test, outcomes, output));
}

/** A test that is missing, or whose file does not load, has not run. */
function outcomesOf({ file, title }, outcomes, output) {
  const inFile = outcomes.filter((outcome) => outcome.file === file);
  const found = inFile.filter((outcome) => outcome.title === title);
  if (found.length > 0) return found;
  const errors = inFile.flatMap((outcome) => (outcome.title === undefined ? outcome.errors : []));
  const why = { name: `no test with this title, see ${SABOTAGES}`, message: output };
  return [{ file, title, state: "did not run", errors: errors.length > 0 ? errors : [why] }];
}

if (argv[1] !== undefined && pathToFileURL(argv[1]).href === import.meta.url) {
  const { failed } = await runSabotages(argv[2]);
  process.exitCode = failed === 0 ? 0 : 1;
}
