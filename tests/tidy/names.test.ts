/**
 * Names that pages mention in code are names that are there: what is renamed in the sources and not in the
 * docs fails here.
 *
 * Pages for users may mention what users can see: what API reports list, the strings in published sources,
 * such as headers, codes and fields on the wire, and the rows of the tables of differences. Other pages may
 * mention whatever stands in code. What belongs to others, such as an option of another package, is in
 * foreign-names.json, by whose it is.
 */

import { describe, expect, it } from "vitest";
import { namesOf } from "./code-names.ts";
import foreign from "./foreign-names.json" with { type: "json" };
import { CODE, FILES, read, SOURCES } from "./source-tree.ts";

const PUBLISHED = SOURCES.filter((file) => !file.startsWith("packages/testkit/"));
const PAGES = FILES.filter(
  (file) => file.endsWith(".md") && !file.endsWith(".api.md") && !/CHANGELOG|^\.change/.test(file),
);
const FOR_USERS = /^(README\.md|docs\/(guides|reference)\/.*|(packages|examples)\/.*README\.md)$/;
/** The name of a row in a table of differences, which another test compares with the code. */
const ROW = /^\| `([^`]+)` \|/gm;
const TABLES = PAGES.filter((file) => file.endsWith("-differences.md"));

const COMMENT_LINE = /^\s*(\/?\*|\/\/).*$/gm;
const STRING = /"([^"\n]*)"|`([^`]*)`/g;
/** The keys of tables of codes are seen by users, though no string says them. */
const CODES = /\b[A-Z]+(_[A-Z]+)+\b/g;

const NOT_SEEN =
  "is in no API report and in no string of a source: if it is new, run 'npm run check -- --update'";

interface Mention {
  readonly name: string;
  readonly where: string;
}

describe("names in code on the pages", () => {
  const own = namesOfUsers();
  const used = namesIn(CODE.map(codeOf).join("\n"));
  const mentions = PAGES.flatMap(mentionsOn);
  const others = new Set(Object.values(foreign).flat());

  it("for users are those that users can see", () => {
    const found = mentions.filter(({ where }) => FOR_USERS.test(where.replace(/:\d+$/, "")));
    expect(found.length).toBeGreaterThan(1_500);
    expect(unknown(found, own, others, NOT_SEEN)).toEqual([]);
  });

  it("for contributors stand in code", () => {
    const found = mentions.filter(({ where }) => !FOR_USERS.test(where.replace(/:\d+$/, "")));
    expect(found.length).toBeGreaterThan(300);
    expect(unknown(found, used, others, "is in no code")).toEqual([]);
  });

  it("and of others are mentioned, and are not our own as well", () => {
    const mentioned = new Set(mentions.map(({ name }) => name.toLowerCase()));
    const idle = [...others].filter((name) => own.has(name) || !mentioned.has(name.toLowerCase()));
    expect(idle).toEqual([]);
  });
});

describe("names in code", () => {
  const cases: [string, string[]][] = [
    ["windowMs", ["windowMs"]],
    ["windowMs: 60", ["windowMs"]],
    ["status().lagMs", ["status", "lagMs"]],
    ["peers[0].isAlive", ["isAlive"]],
    ["decision.used > 0", ["used"]],
    ["rateLimit({ limit: 5 })", ["rateLimit", "limit"]],
    ["{ allowed, used: 1 }", ["used", "allowed"]],
    ["limit: 5, windowMs: 3", ["limit", "windowMs"]],
    ["RateLimit-Limit: 5", ["RateLimit-Limit"]],
    ["new MemoryStore()", ["MemoryStore"]],
    ["await x(TIDEGATE_ALONE)", ["x", "TIDEGATE_ALONE"]],
    ["npm run check -- --update", []],
    ["packages/core/src/http.ts", []],
  ];
  it.each(cases)("are found in %s", (code, names) => {
    expect(namesOf(code)).toEqual(names);
  });
});

function unknown(
  mentions: readonly Mention[],
  known: ReadonlySet<string>,
  others: ReadonlySet<string>,
  what: string,
): string[] {
  const isKnown = (name: string): boolean =>
    known.has(name) || known.has(name.toLowerCase()) || others.has(name);
  return mentions
    .filter(({ name }) => !isKnown(name))
    .map(
      ({ name, where }) =>
        `${where}: '${name}' ${what}. If it was renamed, rename it here; ` +
        "if it belongs to others, add it to tests/tidy/foreign-names.json",
    );
}

/** What API reports list, and every string that a published source has. */
function namesOfUsers(): Set<string> {
  const reports = FILES.filter((file) => file.endsWith(".api.md")).map((file) => read(file));
  const rows = TABLES.flatMap((file) =>
    Array.from(read(file).matchAll(ROW), ([, row]) => row ?? ""),
  );
  const strings = PUBLISHED.flatMap((file) => {
    const code = codeOf(file);
    return [
      ...Array.from(code.matchAll(STRING), ([, text, template]) => text ?? template ?? ""),
      ...(code.match(CODES) ?? []),
    ];
  });
  return namesIn([...reports, ...strings, ...rows].join("\n"));
}

/** The text of a file without the lines that are comments. */
function codeOf(file: string): string {
  return read(file).replace(COMMENT_LINE, "");
}

/** Words, and what hyphens or a colon join as a whole, in lower case, as headers are compared. */
function namesIn(text: string): Set<string> {
  const names = new Set(text.match(/[\w$]+/g));
  for (const name of text.match(/[\w$]+(?:[:-][\w$]+)+/g) ?? []) names.add(name.toLowerCase());
  return names;
}

/** Names, headers, calls, options with a value and keys of objects, in code within sentences. */
function mentionsOn(file: string): Mention[] {
  let isInBlock = false;
  let isHttp = false;
  return read(file)
    .split("\n")
    .flatMap((line, index) => {
      const where = `${file}:${index + 1}`;
      const fence = /^\s*(?:```|~~~)(\w*)/.exec(line);
      if (fence !== null) {
        isHttp = !isInBlock && fence[1] === "http";
        isInBlock = !isInBlock;
      } else if (isInBlock) {
        const header = isHttp ? /^([A-Z][\w-]*): /.exec(line)?.[1] : undefined;
        return header === undefined ? [] : [{ name: header, where }];
      }
      const codes = Array.from(line.matchAll(/`([^`]+)`/g), ([, code]) => code ?? "");
      return codes.flatMap(namesOf).map((name) => ({ name, where }));
    });
}
