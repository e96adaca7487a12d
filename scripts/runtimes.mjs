/**
 * The packed packages on every supported runtime, installed as by a user.
 *
 * Runtimes are npm packages, so only a network is needed. On each runtime the package is loaded by
 * `import` and by `require`, and both must load one copy; then the unit tests run there.
 */

import { inConsumer } from "./consumer.mjs";
import { execute, say, step } from "./steps.mjs";
import { runVitest } from "./vitest.mjs";

const RUNTIMES = [
  { name: "Node 20.19.0", package: "node@20.19.0" },
  { name: "Node 22", package: "node@22.23.3" },
  { name: "Node 24", package: "node@24.21.0" },
  { name: "Node 26", package: "node@26.10.0" },
  { name: "Bun", package: "bun@1.4.4", vitestArgs: ["--bun"] },
  { name: "Deno", package: "deno@2.9.6", args: ["run", "-A"] },
];

const PM2 = "pm2@7.0.4";

const PROGRAMS = ["esm/program.js", "cjs/program.js"];

/** Runs the whole matrix and resolves to the number of failed steps. */
export async function runRuntimes() {
  const failed = await inConsumer([], async (consumer) => {
    let failedSteps = 0;
    for (const runtime of RUNTIMES) failedSteps += await failuresOn(runtime, consumer);
    const pm2 = () => execute("node", ["pm2/run.mjs", "npx", "-y", PM2], { cwd: consumer });
    const isFine = await step(`processes under ${PM2}, in both of its modes`, pm2);
    return failedSteps + (isFine ? 0 : 1);
  });
  return { failed };
}

async function failuresOn(runtime, consumer) {
  const { name, package: from, args = [], vitestArgs = [] } = runtime;
  let failed = 0;
  for (const program of PROGRAMS) {
    const run = () => execute("npx", ["-y", from, ...args, program], { cwd: consumer });
    if (!(await step(`${name}: ${program}`, run))) failed += 1;
  }
  const command = ["npx", "-y", from, ...vitestArgs, ...args];
  const unit = async () => {
    const tally = await runVitest(["--project=unit"], { runtime: command, show: false });
    if (tally.failed === 0) say(`  ${tally.passed} unit tests passed`);
    return { code: tally.failed === 0 && tally.passed > 0 ? 0 : 1, output: tally.output };
  };
  if (!(await step(`${name}: unit tests`, unit))) failed += 1;
  return failed;
}
