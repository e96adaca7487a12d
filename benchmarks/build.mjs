/**
 * Writes the benchmarks as JavaScript, file by file, since the oldest Node runs no TypeScript. Their types
 * are checked with those of the tests. Packages stay imports: what is measured is what is published.
 */

import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const STARTED = [
  ...["bench", "worker", "lanes/lane-worker"],
  ...["http/site-worker", "http/fleet-worker", "sync/replica-worker"],
];

const root = fileURLToPath(new URL(".", import.meta.url));

rmSync(`${root}dist`, { recursive: true, force: true });
const bundle = await rolldown({
  input: Object.fromEntries(STARTED.map((name) => [name, `${root}src/${name}.ts`])),
  platform: "node",
  external: (id) => !/^[./]/.test(id),
});
await bundle.write({
  dir: `${root}dist`,
  format: "es",
  preserveModules: true,
  preserveModulesRoot: `${root}src`,
});
