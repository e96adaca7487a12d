/**
 * Writes the page of the options that all middleware takes, from the interface that declares them.
 *
 * The page shows what editors show: the comment of each option, its type and its default.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../steps.mjs";
import { bringUpToDate } from "./generated-page.mjs";

const SOURCE = "packages/core/src/http/options/gate-options.ts";
const PAGE = "docs/reference/middleware-options.md";

/** Type names that are replaced by their meaning. */
const MEANT = {
  Preset: '"parity" | "api" | "login"',
  SeparatedMode: '"open" | "share" | "closed"',
  OnError: '"throw" | "open" | "closed"',
  Draft: '"draft-6" | "draft-7" | "draft-8" | "draft-11"',
  KeyAnswer: "string | number | bigint | Uint8Array | array of parts | nothing",
  Cost: "number | { [policy]: number }",
  "PartitionKey<Request, Response>": "false | { secret } | (request, response) => Uint8Array",
};

const HEAD = `# Options of middleware

The middleware for Express, Koa and Fastify takes these options, and those of the limiter that it
replaces: see [Express](../../packages/express/README.md#options),
[Koa](../../packages/koa/README.md#options) and [Fastify](../../packages/fastify/README.md#options). Any
function may return a value or a promise. Functions with \`key\` get the context and the key under Koa, and the
request and the key under Fastify.

[An adapter of your own](../guides/writing-an-adapter.md) takes the same options. Its preset is \`"api"\` by default, and
\`"parity"\` is refused, since it is in the place of no other limiter.
`;

/** Compares the page with the interface, or writes it with `update`. */
export async function optionPage(update) {
  const stale = bringUpToDate(PAGE, pageOf(await optionsIn(SOURCE)), SOURCE, update);
  return { code: stale === null ? 0 : 1, output: stale ?? "" };
}

function pageOf(options) {
  const rows = options.map(
    ({ name, type, meaning, usual }) =>
      `| \`${name}\` | \`${type.replaceAll("|", "\\|")}\` | ${usual} | ${meaning} |`,
  );
  return `${HEAD}\n| option | takes | default | |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
}

/** Every option of the interface, in its order. */
async function optionsIn(file) {
  // Missing before the first install, which loads this file first.
  const { parseSync, Visitor } = await import("oxc-parser");
  const text = readFileSync(join(ROOT, file), "utf8");
  const { program, comments } = parseSync(file, text);
  const options = [];
  new Visitor({
    TSPropertySignature({ key, typeAnnotation, start }) {
      const comment = comments.findLast(({ end }) => end <= start);
      if (key.type !== "Identifier" || typeAnnotation == null) return;
      const { typeAnnotation: type } = typeAnnotation;
      const given = text.slice(type.start, type.end);
      options.push({ name: key.name, type: readable(given), ...said(comment) });
    },
  }).visit(program);
  return options;
}

/** The text of a doc comment, and its default. */
function said(comment) {
  const words = (comment?.value ?? "").replaceAll(/^\s*\*+/gm, " ").replaceAll(/\s+/g, " ");
  const [meaning = "", usual = ""] = words.split("@default");
  const value = usual.trim();
  const isCode = /^("[^"]*"|\d\w*|true|false)$/.test(value);
  return { meaning: meaning.trim(), usual: isCode ? `\`${value}\`` : value };
}

/** A type without names that are local to its file. */
function readable(type) {
  return type
    .replaceAll(/\s+/g, " ")
    .replace(/ ?\| undefined$/, "")
    .replace(/^\| /, "")
    .replace(/^\((.*)\)$/, "$1")
    .replaceAll("AskedWithKey<Request, Response, ", "(request, response, key) => <")
    .replaceAll("Asked<Request, Response, ", "(request, response) => <")
    .replaceAll(/=> <([^<>]*)>/g, "=> $1")
    .replaceAll("readonly ", "")
    .replaceAll(/: (Request|Response|Refusal)\b/g, "")
    .replaceAll(
      new RegExp(`\\b(${Object.keys(MEANT).join("|")})(?!\\w)`, "g"),
      (name) => MEANT[name],
    );
}
