/**
 * The pages of the repository as pages of the site: the route of each, and the targets of its
 * links.
 *
 * No page is written for the site alone, except the front of the first one. docs/README.md defines
 * the order: its list is the sidebar, and a listed page that itself lists pages of its folder is a
 * group.
 */

import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT } from "../steps.mjs";
import { ONLINE } from "./links.mjs";
import { pages, splitFences } from "./pages.mjs";

const CONTENTS = "docs/README.md";
const HOME = "site/home.md";
/** Text in code is not a link. */
const LINK = /`[^`]*`|\]\(([^)\s]+)\)/g;
const PICTURE = /\.(svg|png)$/;
/** Marks where the home page shows a section of the README. */
const SECTION = /^<!-- README: (.+) -->$/gm;
const FRAMEWORKS = {
  Express: "@tidegate/express",
  Koa: "@tidegate/koa",
  Fastify: "@tidegate/fastify",
};

/**
 * Every page as `{ file, route, title, text }`, the pictures that pages show as `{ file, route }`, and the
 * sidebar as groups of `{ text, link, items }`.
 */
export function sitePages() {
  const sources = pages().filter(({ file }) => file !== HOME);
  const routes = new Map(sources.map(({ file }) => [file, routeOf(file)]));
  const pictures = new Map();
  const made = sources.map(({ file, lines }) => {
    const text = withLinks(lines, (target) => linkOnSite(target, file, routes, pictures));
    return { file, route: routeOf(file), title: titleOf(lines), text };
  });
  return {
    pages: [...made, homePage(made)],
    pictures: Array.from(pictures, ([file, route]) => ({ file, route })),
    sidebar: sidebarOf(sources, routes),
  };
}

/** Sentences about pages that the site would omit or show twice. */
export function problemsOfSite() {
  const { pages: all, sidebar } = sitePages();
  const listed = new Set(sidebar.flatMap(({ items }) => items.flatMap(linksOf)));
  const routes = all.map(({ route }) => route);
  const home = all.find(({ file }) => file === HOME);
  const paths = routes.map(pathTo);
  const promised = Array.from(home.text.matchAll(/^\s*link: (\S*)$/gm), ([, link]) => link);
  return [
    ...all
      .filter(({ file, route }) => file !== HOME && file !== CONTENTS && !listed.has(pathTo(route)))
      .map(({ file }) => `${file} is in no list that ${CONTENTS} leads to`),
    ...all
      .filter(({ route }, index) => routes.indexOf(route) !== index)
      .map(({ file, route }) => `${file} would be a second page at ${route}`),
    ...promised
      .filter((link) => !paths.includes(link))
      .map((link) => `${HOME} links to ${link}, and there is no such page`),
    ...Array.from(home.text.matchAll(SECTION), ([, title]) => `README.md has no section ${title}`),
  ];
}

/** `docs/guides/x.md` has the route `guides/x.md`, and a README that of its folder. */
function routeOf(file) {
  if (file === CONTENTS) return "contents.md";
  if (!file.includes("/")) return `project/${file.toLowerCase()}`;
  if (file.startsWith("benchmarks/")) return "project/benchmarks.md";
  const inDocs = file.replace(/^docs\//, "");
  if (/^(decisions|examples)\/README\.md$/.test(inDocs)) return inDocs.replace("README", "index");
  return inDocs.replace("/README.md", ".md");
}

function pathTo(route) {
  return `/${route.replace(/(index)?\.md$/, "")}`;
}

function titleOf(lines) {
  return lines
    .find((line) => line.startsWith("# "))
    .slice(2)
    .replaceAll("`", "");
}

/** The page with the site's target for each of its links. */
function withLinks(lines, targetOf) {
  const { prose } = splitFences(lines);
  return lines
    .map((line, index) =>
      prose[index] === ""
        ? line
        : line.replace(LINK, (found, target) =>
            target === undefined ? found : `](${targetOf(target)})`,
          ),
    )
    .join("\n");
}

function linkOnSite(target, from, routes, pictures) {
  const isOnline = target.startsWith(ONLINE);
  if (target.startsWith("#") || (!isOnline && /^[a-z][a-z0-9+.-]*:/i.test(target))) return target;
  const file = fileOf(target, from);
  const anchor = target.includes("#") ? `#${target.split("#")[1]}` : "";
  if (PICTURE.test(file)) pictures.set(file, routeOf(file));
  const route = routes.get(file) ?? pictures.get(file);
  if (route === undefined) return `${ONLINE}${file}${anchor}`;
  const path = posix.relative(posix.dirname(routeOf(from)), route);
  return `${path.startsWith(".") ? path : `./${path}`}${anchor}`;
}

/** The file of the repository that a link leads to. */
function fileOf(target, from) {
  const [path] = target.split("#");
  if (path.startsWith(ONLINE)) return path.slice(ONLINE.length);
  return posix.join(posix.dirname(from), decodeURIComponent(path));
}

function sidebarOf(sources, routes) {
  const linesOf = new Map(sources.map(({ file, lines }) => [file, lines]));
  const listedIn = (file, lines) =>
    splitFences(lines)
      .prose.filter((line) => /^\s*([-|]|\d+\.|\s\s\[)/.test(line))
      .flatMap((line) => Array.from(line.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)))
      .map(([, text, target]) => ({ text, file: fileOf(target, file) }))
      .filter((link) => routes.has(link.file));
  const groupOf = ({ text, file }) => {
    const folder = `${posix.dirname(file)}/`;
    const isGroup = posix.basename(file) === "README.md" && folder !== "./";
    const items = isGroup
      ? listedIn(file, linesOf.get(file))
          .filter((link) => link.file.startsWith(folder))
          .map((link) => ({ text: titleOf(linesOf.get(link.file)), link: linkTo(link.file) }))
      : [];
    const link = linkTo(file);
    return items.length > 0 ? { text, link, collapsed: true, items } : { text, link };
  };
  const linkTo = (file) => pathTo(routes.get(file));
  return linesOf
    .get(CONTENTS)
    .join("\n")
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [text, ...lines] = section.split("\n");
      return { text, items: listedIn(CONTENTS, lines).map(groupOf) };
    });
}

function linksOf({ link, items = [] }) {
  return [link, ...items.flatMap(linksOf)];
}

/** The front of the site, followed by sections of the README. */
function homePage(made) {
  const readme = made.find(({ file }) => file === "README.md");
  const sections = new Map(
    readme.text.split(/^## /m).map((section) => [section.split("\n")[0], `## ${section.trim()}`]),
  );
  const text = readFileSync(join(ROOT, HOME), "utf8").replace(SECTION, (marker, title) =>
    sections.has(title)
      ? inTabs(sections.get(title)).replaceAll("](../", "](./").replaceAll("](./project/", "](./")
      : marker,
  );
  return { file: HOME, route: "index.md", title: "tidegate", text };
}

/** Puts the code blocks of the frameworks into tabs. */
function inTabs(section) {
  const blocks = section.match(/^```ts\n[\s\S]*?^```$/gm) ?? [];
  const tabs = Object.entries(FRAMEWORKS).map(([name, from]) => {
    const block = blocks.find((code) => code.includes(`"${from}"`));
    return block && { block, tab: block.replace("```ts", `\`\`\`ts [${name}]`) };
  });
  if (tabs.includes(undefined)) return section;
  const group = `::: code-group\n\n${tabs.map(({ tab }) => tab).join("\n\n")}\n\n:::`;
  const [first, ...others] = tabs;
  return others
    .reduce((text, { block }) => text.replace(`${block}\n\n`, ""), section)
    .replace(first.block, () => group);
}
