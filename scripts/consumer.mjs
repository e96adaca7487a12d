/**
 * A folder in which the packed packages are installed as by a user, with the programs of
 * tests/runtimes and the tests of a guide. It is outside of the repository and is removed at the
 * end.
 */

import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { writeGuideTests } from "./docs/guide-tests.mjs";
import { execute, ROOT, step } from "./steps.mjs";
import { publishedPackages } from "./workspaces.mjs";

/**
 * Resolves to what `work` resolves to, or to 1 if the installation failed.
 *
 * @param packages what to install beside them from the registry, or null for nothing: the
 * frameworks are then links
 *   to those of this repository, and no network is needed
 */
export async function inConsumer(packages, work) {
  const folder = mkdtempSync(join(tmpdir(), "tidegate-consumer-"));
  try {
    const what = packages?.length > 0 ? `, ${packages.join(", ")}` : "";
    const isReady = await step(`install the packed packages${what}`, () => fill(folder, packages));
    return isReady ? await work(folder) : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(folder, packages) {
  cpSync(join(ROOT, "tests/runtimes"), folder, { recursive: true });
  writeGuideTests(join(folder, "guide"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true }));
  for (const published of publishedPackages()) {
    const packing = ["pack", "--pack-destination", folder];
    const packed = await execute("npm", packing, { cwd: published.folder });
    if (packed.code !== 0) return packed;
  }
  const tarballs = readdirSync(folder).filter((file) => file.endsWith(".tgz"));
  const options = ["--no-audit", "--no-fund", "--loglevel=error"];
  const wanted =
    packages === null
      ? ["--offline", "--legacy-peer-deps"]
      : ["--prefer-offline", ...frameworks().map(({ name, version }) => `${name}@${version}`)];
  const installed = await execute(
    "npm",
    ["install", ...options, ...wanted, ...tarballs.map((file) => `./${file}`), ...(packages ?? [])],
    { cwd: folder },
  );
  if (installed.code !== 0) return installed;
  if (packages === null) for (const { name } of frameworks()) link(name, folder);
  installAgain(folder);
  return installed;
}

/** A second installation of the same packages, in the folder `nested`. */
function installAgain(folder) {
  const nested = join(folder, "nested");
  cpSync(join(folder, "node_modules/@tidegate"), join(nested, "node_modules/@tidegate"), {
    recursive: true,
  });
  cpSync(join(folder, "cjs/by-require.js"), join(nested, "by-require.js"));
}

function link(name, folder) {
  const path = join(folder, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules", name), path, "junction");
}

/** The frameworks and types, in the versions that this repository develops with. */
function frameworks() {
  const root = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const needed = publishedPackages().flatMap(({ manifest }) =>
    Object.keys(manifest.peerDependencies ?? {})
      .filter((name) => !name.startsWith("@tidegate/"))
      .map((name) => ({ name, version: manifest.devDependencies[name] })),
  );
  const types = { name: "@types/node", version: root.devDependencies["@types/node"] };
  return [...needed.filter(({ version }) => version !== undefined), types];
}
