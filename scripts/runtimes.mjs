/**
 * The packed packages on every runtime that is supported, as a user would have them installed.
 *
 * Runtimes come as npm packages, so that nothing but a network is needed. On each the package is
 * used by `import` and by `require`, and both must reach one copy; then the unit tests run there.
 */

import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute, ROOT, say, step } from "./steps.mjs";
import { runVitest } from "./vitest.mjs";
import { publishedPackages } from "./workspaces.mjs";

const RUNTIMES = [
  { name: "Node 20.19.0", package: "node@20.19.0" },
  { name: "Node 22", package: "node@22.23.3" },
  { name: "Node 24", package: "node@24.21.0" },
  { name: "Node 26", package: "node@26.10.0" },
  { name: "Bun", package: "bun@1.4.4", vitestArgs: ["--bun"] },
  { name: "Deno", package: "deno@2.9.6", args: ["run", "-A"] },
];

const JEST = "jest@30.5.2";
const PM2 = "pm2@7.0.4";

const PROGRAMS = ["by-import.mjs", "by-require.cjs", "one-copy.mjs"];

/** Runs the whole matrix and resolves to how many of its steps failed. */
export async function runRuntimes() {
  const consumer = mkdtempSync(join(tmpdir(), "tidegate-consumer-"));
  try {
    if (!(await step("install the packed packages", () => installPacked(consumer)))) {
      return { failed: 1 };
    }
    let failed = 0;
    for (const runtime of RUNTIMES) failed += await failuresOn(runtime, consumer);
    const jest = () => execute("npx", ["-y", JEST, "--rootDir", "."], { cwd: consumer });
    if (!(await step(`packed packages in CommonJS mode of ${JEST}`, jest))) failed += 1;
    const pm2 = () => execute("node", ["pm2/run.mjs", "npx", "-y", PM2], { cwd: consumer });
    if (!(await step(`processes under ${PM2}, in both of its modes`, pm2))) failed += 1;
    return { failed };
  } finally {
    rmSync(consumer, { recursive: true, force: true });
  }
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

async function installPacked(consumer) {
  for (const { folder } of publishedPackages()) {
    const packed = await execute("npm", ["pack", "--pack-destination", consumer], { cwd: folder });
    if (packed.code !== 0) return packed;
  }
  cpSync(join(ROOT, "tests/runtimes"), consumer, { recursive: true });
  writeFileSync(
    join(consumer, "package.json"),
    JSON.stringify({ name: "consumer", private: true }),
  );
  const tarballs = readdirSync(consumer).filter((file) => file.endsWith(".tgz"));
  const packages = [...tarballs.map((file) => `./${file}`), ...frameworks()];
  const options = ["--no-audit", "--no-fund", "--prefer-offline"];
  return execute("npm", ["install", ...options, ...packages], { cwd: consumer });
}

/** What the packages are used with, in the versions that they are developed with. */
function frameworks() {
  return publishedPackages().flatMap(({ manifest: { peerDependencies, devDependencies } }) =>
    Object.keys(peerDependencies ?? {})
      .filter((name) => !/^@(tidegate|types)\//.test(name) && devDependencies[name] !== undefined)
      .map((name) => `${name}@${devDependencies[name]}`),
  );
}
