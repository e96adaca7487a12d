/**
 * The packed packages in test runners, bundlers and compilers.
 *
 * Every tool does the same: `tests/runtimes/cjs/exercise.js`, given the packages as `import` and as
 * `require` load them in that tool. Test runners also run the tests that a guide shows. A row of
 * this table is a title and a command.
 */

import { inConsumer } from "./consumer.mjs";
import { execute, ROOT, step } from "./steps.mjs";

const NODE = process.execPath;
const OLDEST_NODE = ["npx", "-y", "node@20.19.0"];
const NODE_THAT_STRIPS_TYPES = ["npx", "-y", "node@24.21.0"];
const TSX = "node_modules/tsx/dist/cli.mjs";
const VITEST = `${ROOT}node_modules/vitest/vitest.mjs`;
const JEST = "node_modules/jest/bin/jest.js";

/** Vitest and Jest share this option. A busy machine must not cause a failure. */
const PATIENCE = "--testTimeout=60000";

/** Under tsx on Node 20, no .cts file can load Fastify or Express: their JSON files fail to load. */
const WITHOUT_FASTIFY = { WITHOUT: "fastify" };

/** The module format of each resolution, and the sources that compile with it. */
const RESOLUTIONS = {
  node10: ["commonjs", "consumer.ts", "consumer.cts", "import-equals.cts"],
  node16: [
    "node16",
    "consumer.ts",
    "consumer.cts",
    "import-equals.cts",
    "program.mts",
    "program.cts",
  ],
  nodenext: [
    "nodenext",
    "consumer.ts",
    "consumer.cts",
    "import-equals.cts",
    "program.mts",
    "program.cts",
  ],
  bundler: ["esnext", "consumer.ts", "program.mts"],
};

/**
 * Groups are installed one after the other; `packages` is null if the repository contains all of
 * them.
 */
const GROUPS = [
  {
    packages: null,
    rows: [
      row("Node by import", NODE, "esm/program.js"),
      row("Node by require", NODE, "cjs/program.js"),
      row("Node with the packages installed twice", NODE, "cjs/nested.js"),
      row("node:test", NODE, "--test", "esm/exercise.test.js"),
      ...["threads", "forks", "vmThreads", "vmForks"].map((pool) =>
        row(
          `Vitest in its pool ${pool}`,
          ...[NODE, VITEST, "run"],
          ...["--root=esm", "--globals", PATIENCE, `--pool=${pool}`],
        ),
      ),
      ...compilerRows("7", `${ROOT}node_modules/typescript`, ["node16", "nodenext", "bundler"]),
    ],
  },
  {
    packages: ["jest@30.5.2", "supertest@7.3.2"],
    rows: [
      row("Jest with CommonJS", NODE, JEST, "--rootDir=cjs", PATIENCE),
      row(
        "Jest with ES modules",
        NODE,
        "--experimental-vm-modules",
        JEST,
        "--rootDir=esm",
        PATIENCE,
      ),
      row("the guide's tests in Jest", NODE, JEST, "--rootDir=guide/jest"),
      row("the guide's tests in Vitest", NODE, VITEST, "run", "--root=guide/vitest"),
    ],
  },
  {
    packages: [
      "esbuild@0.28.2",
      "rollup@4.68.5",
      "@rollup/plugin-commonjs@29.0.3",
      "@rollup/plugin-node-resolve@16.0.3",
      "vite@8.3.8",
      "webpack@5.112.2",
    ],
    rows: ["esbuild", "rollup", "webpack", "vite-server", "vite-library"].flatMap((bundler) =>
      ["esm", "cjs"].map((format) =>
        row(`${bundler} to ${format}`, NODE, "bundle.mjs", bundler, format),
      ),
    ),
  },
  {
    packages: [
      "tsx@4.23.15",
      "typescript-5.4@npm:typescript@5.4.5",
      "typescript-5.9@npm:typescript@5.9.3",
    ],
    rows: [
      row("tsx, .mts", NODE, TSX, "typed/program.mts"),
      row("tsx on Node 20, .cts", ...OLDEST_NODE, TSX, "typed/program.cts", WITHOUT_FASTIFY),
      row(
        "tsx on Node 20, import =",
        ...OLDEST_NODE,
        TSX,
        "typed/import-equals.cts",
        WITHOUT_FASTIFY,
      ),
      row("Node strips the types of .mts", ...NODE_THAT_STRIPS_TYPES, "typed/program.mts"),
      row("Node strips the types of .cts", ...NODE_THAT_STRIPS_TYPES, "typed/program.cts"),
      ...["5.4", "5.9"].flatMap((version) =>
        compilerRows(version, `node_modules/typescript-${version}`, Object.keys(RESOLUTIONS)),
      ),
    ],
  },
];

/** Runs all groups, or those that need no download, and resolves to the number of failed steps. */
export async function runTools({ download }) {
  let failed = 0;
  for (const { packages, rows } of GROUPS) {
    if (packages !== null && !download) continue;
    failed += await inConsumer(packages, async (folder) => {
      let failedRows = 0;
      for (const { title, command, env } of rows) {
        const [program, ...args] = command;
        const run = () => execute(program, args, { cwd: folder, env });
        if (!(await step(`packed packages: ${title}`, run))) failedRows += 1;
      }
      return failedRows;
    });
  }
  return { failed };
}

/** The environment is an optional last argument. */
function row(title, ...command) {
  const env = typeof command.at(-1) === "object" ? command.pop() : {};
  return { title, command, env };
}

function compilerRows(version, folder, resolutions) {
  return resolutions.map((resolution) => {
    const [module, ...sources] = RESOLUTIONS[resolution];
    const given = [folder, module, resolution, ...sources];
    return row(`TypeScript ${version}, ${resolution}`, NODE, "typed/compile.mjs", ...given);
  });
}
