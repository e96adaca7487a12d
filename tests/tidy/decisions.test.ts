/**
 * Each decision says since when it holds, and what replaced it if it no longer does.
 */

import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { FILES, read } from "./source-tree.ts";

const FOLDER = "docs/decisions/";
const INDEX = `${FOLDER}README.md`;
const PAGES = FILES.filter((file) => file.startsWith(FOLDER) && file !== INDEX);

const HEAD =
  /^# (?<title>.+)\n\nStatus: (accepted|superseded by \[[^\]]+\]\((?<later>[^)]+)\)), (?<date>\d{4}-\d\d-\d\d)\n/;

describe("decisions", () => {
  it("begin with a title, a status and a date", () => {
    const odd = PAGES.filter((file) => {
      const { date = "", later } = headOf(file);
      const isDate = !Number.isNaN(Date.parse(date));
      return !isDate || (later !== undefined && !PAGES.includes(posix.join(FOLDER, later)));
    });
    expect(PAGES.length).toBeGreaterThan(20);
    expect(odd.map((file) => `${file}: begin as docs/decisions/README.md says`)).toEqual([]);
  });

  it("are all in the index, once and by their titles", () => {
    const listed = Array.from(
      read(INDEX).matchAll(/^- \[(.+)\]\((.+)\)$/gm),
      ([, title, file]) => `${file}: ${title}`,
    );
    const titled = PAGES.map((file) => `${posix.basename(file)}: ${headOf(file)["title"]}`);
    expect(listed.sort()).toEqual(titled.sort());
  });
});

function headOf(file: string): Partial<Record<string, string>> {
  return HEAD.exec(read(file))?.groups ?? {};
}
