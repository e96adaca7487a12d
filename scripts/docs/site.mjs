/**
 * The documentation site: every page of the repository, the API reference and a search over both.
 *
 * Its tools are in site/, with a lock file of their own, and are installed when the site is first
 * built. A contributor to the packages does not need them. `temp` has the pages of the site, `dist`
 * the result.
 */

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { install } from "../install.mjs";
import { execute, ROOT, step } from "../steps.mjs";
import { publishedPackages } from "../workspaces.mjs";
import { problemsOfSite, sitePages } from "./site-pages.mjs";

const SITE = join(ROOT, "site");
const PAGES = join(SITE, "temp");
/** The position of the API in the sidebar: after guides, recipes, frameworks and reference. */
const API_GROUP = 4;

/** The checks of the site that need no build. */
export async function checkSite() {
  const problems = problemsOfSite();
  return { code: problems.length === 0 ? 0 : 1, output: problems.join("\n") };
}

/** Builds the whole site; resolves to the number of failed steps. A broken link fails. */
export async function buildSite() {
  if (!(await install("site/"))) return { failed: 1 };
  const isBuilt = await step("build the site of the documentation", async () => {
    rmSync(PAGES, { recursive: true, force: true });
    const { pages, pictures, sidebar } = sitePages();
    for (const { route, text } of pages) write(route, text);
    for (const { file, route } of pictures) cpSync(join(ROOT, file), join(PAGES, route));
    const api = await run("typedoc/bin/typedoc", "--entryPoints", ...entries());
    if (api.code !== 0) return api;
    write("sidebar.json", JSON.stringify(sidebar.toSpliced(API_GROUP, 0, apiGroup())));
    return run("vitepress/bin/vitepress.js", "build");
  });
  return { failed: isBuilt ? 0 : 1 };
}

/** The sources of everything that users can import. */
function entries() {
  return publishedPackages().flatMap(({ folder, manifest }) =>
    Object.values(manifest.exports)
      .map((conditions) => conditions["@tidegate/source"])
      .filter((source) => source !== undefined)
      .map((source) => join(folder, source)),
  );
}

/** One page for each entry, from TypeDoc's list. */
function apiGroup() {
  const list = readFileSync(join(PAGES, "api/index.md"), "utf8");
  const items = Array.from(list.matchAll(/^- \[(.+)\]\((.+)\.md\)$/gm), ([, text, path]) => ({
    text,
    link: `/api/${path}`,
  }));
  return { text: "API", items };
}

function run(script, ...args) {
  return execute(process.execPath, [join(SITE, "node_modules", script), ...args], { cwd: SITE });
}

function write(route, text) {
  mkdirSync(dirname(join(PAGES, route)), { recursive: true });
  writeFileSync(join(PAGES, route), text);
}
