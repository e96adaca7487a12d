/**
 * The test projects. Each resolves the packages of this repository to their sources, by a condition
 * that no user sets, so that no test needs a build; the condition must stand in every project.
 */

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { exposedPrivates } from "./tests/exposed-privates.ts";
import { narrowedBounds } from "./tests/narrowed-bounds.ts";

const fromSource = { ssr: { resolve: { conditions: ["@tidegate/source"] } } };

const TESTED = ["packages/*/test", "tests", "benchmarks/test", "examples/test"];

/** As many as there are cores; by itself it would leave one of two idle. */
const maxWorkers = availableParallelism();

/** Starting a process for each file would take longer than most files do. */
const inSharedProcesses = { maxWorkers, isolate: false, sequence: { setupFiles: "list" } } as const;
/** Lets each file begin as in a process of its own; comes before all else. */
const CLEAN_START = "./tests/clean-start.ts";

/** Tests of random histories make this many times their usual runs; see CONTRIBUTING.md. */
const scale = Math.max(1, Number(process.env["TIDEGATE_TEST_SCALE"] ?? 1) || 1);

function ending(suffix: string): string[] {
  return TESTED.map((folder) => `${folder}/**/*${suffix}`);
}

export default defineConfig({
  test: {
    projects: [
      {
        ...fromSource,
        test: {
          name: "unit",
          ...inSharedProcesses,
          setupFiles: [CLEAN_START],
          include: ending(".test.ts"),
          exclude: [
            "**/node_modules/**",
            ...ending(".property.test.ts"),
            ...ending(".simulation.test.ts"),
            ...ending(".exploration.test.ts"),
            ...ending(".integration.test.ts"),
          ],
          // A busy machine is no reason to fail.
          testTimeout: 60_000,
        },
      },
      {
        ...fromSource,
        test: {
          name: "integration",
          // After the others, and one after the other: processes and servers want the cores for themselves.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          include: ending(".integration.test.ts"),
          testTimeout: 30_000,
        },
      },
      ...["property", "simulation"].map((name) => ({
        ...fromSource,
        test: {
          name,
          ...inSharedProcesses,
          setupFiles: [CLEAN_START, "./tests/failing-properties.ts"],
          include: ending(`.${name}.test.ts`),
          testTimeout: 60_000 * scale,
        },
      })),
      ...["exploration", "narrowed"].map((name) => ({
        ...fromSource,
        plugins: [exposedPrivates(), ...(name === "narrowed" ? [narrowedBounds()] : [])],
        test: {
          name,
          // Processes of its own: the sources are not loaded as elsewhere.
          maxWorkers,
          env: { TIDEGATE_NARROWED: name === "narrowed" ? "1" : "" },
          // The usual runs explore what ships; `npm run test:all` explores both.
          include: name === "narrowed" && scale < 10 ? [] : ending(".exploration.test.ts"),
          testTimeout: 120_000 * scale,
        },
      })),
      {
        test: {
          name: "types",
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ending(".test-d.ts"),
            tsconfig: "./tsconfig.test.json",
          },
        },
      },
    ],
  },
});
