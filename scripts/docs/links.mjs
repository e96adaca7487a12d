/**
 * Checks that every link between pages, or to a heading, has a target.
 *
 * External links are not followed: the check must pass without a network. README pages of packages
 * are also shown outside of the repository, so their links contain the repository's URL, and are
 * checked in it.
 */

import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT } from "../steps.mjs";
import { pages, splitFences } from "./pages.mjs";

const LINK = /\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\s*\[[^\]]+\]:\s*(\S+)/g;

const { repository } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
/** The beginning of links in packed pages. */
export const ONLINE = `${repository.url.replace(/^git\+|\.git$/g, "")}/blob/main/`;

const REFERENCE = /\[[^\]]+\]\[([^\]]+)\]/g;

export async function checkLinks() {
  const all = pages();
  const headings = new Map(all.map(({ file, lines }) => [file, anchorsOf(lines)]));
  const broken = all.flatMap(({ file, lines }) => {
    const prose = splitFences(lines).prose.map((line) => line.replace(/`[^`]*`/g, ""));
    const defined = prose.map((line) => /^\s*\[([^\]]+)\]:/.exec(line)?.[1]);
    return prose.flatMap((line, index) =>
      [
        ...[...line.matchAll(LINK)]
          .map((match) => match[1] ?? match[2])
          .filter((target) => target.startsWith(ONLINE) || !/^[a-z][a-z0-9+.-]*:/i.test(target))
          .map((target) => problemWith(target, file, headings)),
        ...[...line.matchAll(REFERENCE)]
          .filter(([, name]) => !defined.includes(name))
          .map(([, name]) => `the page does not define [${name}]`),
      ]
        .filter((problem) => problem !== undefined)
        .map((problem) => `${file}:${index + 1}: ${problem}`),
    );
  });
  return { code: broken.length === 0 ? 0 : 1, output: broken.join("\n") };
}

function problemWith(target, from, headings) {
  const isOnline = target.startsWith(ONLINE);
  const [path, anchor] = (isOnline ? target.slice(ONLINE.length) : target).split("#");
  if (!isOnline && path !== "" && /^packages\/[^/]+\/README\.md$/.test(from)) {
    return `a link of a packed page starts with ${ONLINE}, and this one is ${target}`;
  }
  const folder = isOnline ? "." : posix.dirname(from);
  const file = path === "" ? from : posix.join(folder, decodeURIComponent(path));
  if (file.startsWith("..") || !existsSync(join(ROOT, file))) return `there is no ${file}`;
  if (anchor === undefined || !headings.has(file)) return undefined;
  return headings.get(file).has(anchor) ? undefined : `${file} has no heading #${anchor}`;
}

/** The anchor of a heading, as the usual Markdown hosts make it. */
export function anchorOf(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

/** The anchors of all headings of a page. */
function anchorsOf(lines) {
  const anchors = new Set();
  for (const line of splitFences(lines).prose) {
    const title = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (title === undefined) continue;
    const anchor = anchorOf(title.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}
