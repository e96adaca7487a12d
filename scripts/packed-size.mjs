/** The size limits of the published packages. */

import { execute } from "./steps.mjs";
import { publishedPackages } from "./workspaces.mjs";

/** The most bytes of a tarball and the most files in it. */
const BOUNDS = {
  "@tidegate/core": { bytes: 165_000, files: 60 },
  "@tidegate/express": { bytes: 30_000, files: 10 },
  "@tidegate/fastify": { bytes: 30_000, files: 10 },
  "@tidegate/koa": { bytes: 30_000, files: 10 },
  "@tidegate/nats-transport": { bytes: 30_000, files: 10 },
  tidegate: { bytes: 40_000, files: 10 },
};

/** Compares the output of `npm pack` with the limits. Needs a build. */
export async function checkPackedSize() {
  const names = publishedPackages().map(({ name }) => `--workspace=${name}`);
  const args = ["pack", "--dry-run", "--json", "--loglevel=error", ...names];
  const { code, output } = await execute("npm", args);
  if (code !== 0) return { code, output };
  const problems = oversized(JSON.parse(output.slice(output.indexOf("[\n"))));
  return { code: problems.length === 0 ? 0 : 1, output: problems.join("\n") };
}

/** A sentence for each package that is too large, from the output of `npm pack --json`. */
function oversized(packed) {
  const unbounded = packed.filter(({ name }) => !Object.hasOwn(BOUNDS, name));
  const tooLarge = packed.flatMap(({ name, size, entryCount }) => {
    const { bytes, files } = BOUNDS[name] ?? {};
    return [
      ...(size > bytes ? [`${name} is packed to ${size} bytes, and may have ${bytes}`] : []),
      ...(entryCount > files ? [`${name} has ${entryCount} files, and may have ${files}`] : []),
    ];
  });
  return [
    ...tooLarge,
    ...unbounded.map(({ name }) => `${name} has no bounds in scripts/packed-size.mjs`),
    ...(packed.length < Object.keys(BOUNDS).length ? ["not every package was packed"] : []),
  ];
}
