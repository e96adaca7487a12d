/**
 * The npm scripts, command by command.
 *
 * Each command installs what is missing and runs its steps. It continues after a failing step, so
 * that one run shows everything there is to fix. It resolves to its exit code. Where tests run, the
 * last line is their count.
 */

import { existsSync } from "node:fs";
import { answerToCheck, runChecks } from "./check.mjs";
import { buildSite } from "./docs/site.mjs";
import { install } from "./install.mjs";
import { findNatsServer } from "./nats-server.mjs";
import { runRuntimes } from "./runtimes.mjs";
import { runSabotages } from "./sabotage.mjs";
import { answerToStart, start } from "./start.mjs";
import { execute, executeTool, ROOT, say, step } from "./steps.mjs";
import { runTools } from "./tools.mjs";
import { runVitest } from "./vitest.mjs";

/**
 * How many times its usual runs a property makes in `test:all`, so that it takes less than an hour.
 */
const WIDE_TEST_SCALE = "25";

const FAST_PROJECTS = ["unit", "property", "types"];

const COMMANDS = {
  /** Everything that a change has to pass. */
  async test(args) {
    const built = await build();
    const checked = await check([]);
    const server = await natsServer();
    const tested = await tests(args, server.env);
    return closing([built, checked, server, tested, await runTools({ download: false })]);
  },

  /** Unit, property and type tests, or one of them, directly from the sources, without a build. */
  async fast(args) {
    const chosen = args.some((arg) => arg.startsWith("--project"));
    const projects = chosen ? [] : FAST_PROJECTS.map((name) => `--project=${name}`);
    return closing([await tests([...projects, ...args])]);
  },

  /**
   * `test` with many more random histories, the sabotages, the packed packages in every tool and on
   * every runtime, and the whole site.
   */
  async all(args) {
    const built = await build();
    const checked = await check([]);
    const server = await natsServer();
    const tested = await tests(args, { ...server.env, TIDEGATE_TEST_SCALE: WIDE_TEST_SCALE });
    const sabotaged = await runSabotages();
    const inTools = await runTools({ download: true });
    const inRuntimes = await runRuntimes();
    const site = await buildSite();
    return closing([built, checked, server, tested, sabotaged, inTools, inRuntimes, site]);
  },

  async build() {
    return (await build()).failed;
  },

  /** The documentation site, from the pages and the sources. */
  async docs() {
    return (await buildSite()).failed;
  },

  async check(args) {
    return (await build()).failed || (await check(args)).failed;
  },

  async start(args) {
    const built = await build();
    return built.failed || start(args);
  },

  async bench(args) {
    if (!existsSync(`${ROOT}/benchmarks/package.json`)) {
      say("There is no benchmarks workspace in this tree.");
      return 1;
    }
    const built = await build();
    if (built.failed) return 1;
    const script = ["run", "bench", "--workspace=benchmarks", "--", ...args];
    return (await execute("npm", script, { show: true })).code;
  },
};

/** Commands that answer some arguments before anything is installed or built. */
const ANSWERS = { check: answerToCheck, start: answerToStart };

/** Runs a command by name and resolves to the exit code. */
export async function runCommand(name, args) {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    say(`Unknown command '${name}', known are: ${Object.keys(COMMANDS).join(", ")}`);
    return 1;
  }
  const answer = await ANSWERS[name]?.(args);
  if (answer !== undefined) {
    say(answer.text);
    return answer.code;
  }
  if (!(await install())) return 1;
  return (await command(args)) === 0 ? 0 : 1;
}

async function build() {
  const built = await step("build every package", () =>
    executeTool("turbo/bin/turbo", ["run", "build", "--output-logs=errors-only"]),
  );
  return { failed: built ? 0 : 1 };
}

async function check(args) {
  return { failed: await runChecks(args) };
}

/** The program that integration tests need beside Node; without it they fail with one message. */
async function natsServer() {
  const env = {};
  const found = await step("find or fetch nats-server, for the integration tests", () =>
    findNatsServer().then(
      (path) => {
        env.NATS_SERVER = path;
        return { code: 0 };
      },
      ({ message }) => ({ code: 1, output: message }),
    ),
  );
  return { failed: found ? 0 : 1, env };
}

async function tests(args, env = {}) {
  say(
    `▸ tests${env.TIDEGATE_TEST_SCALE ? `, properties ${env.TIDEGATE_TEST_SCALE} × as often` : ""}`,
  );
  return runVitest(args, { env });
}

/**
 * Prints the last line and returns the number of failures. Failed steps are failures too, and so is
 * a run without a single test.
 */
function closing(outcomes) {
  const sum = (what) => outcomes.reduce((total, outcome) => total + (outcome[what] ?? 0), 0);
  const passed = sum("passed");
  const skipped = sum("skipped");
  let failed = sum("failed");
  if (passed + failed === 0) {
    say("No test ran, which counts as a failure.");
    failed = 1;
  }
  say(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed;
}
