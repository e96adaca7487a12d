import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HTTP_CONTRACT } from "../src/http/index.ts";

const page = readFileSync(new URL("../../../docs/reference/http.md", import.meta.url), "utf8");
const promised = [...page.matchAll(/^\| ((?:H|S|PK|B|N|C|K|L|E)\d+) \|/gm)].map(
  ([, id = ""]) => id,
);

/** What concerns one framework alone is shown by the tests of its adapter. */
const OF_ONE_FRAMEWORK = ["K3"];

describe("the contract of HTTP", () => {
  it("has a case for every promise of the page, and promises nothing else", () => {
    const shown = new Set(HTTP_CONTRACT.flatMap(({ ids }) => ids));
    expect(promised.length).toBeGreaterThan(80);
    const missing = promised.filter((id) => !shown.has(id) && !OF_ONE_FRAMEWORK.includes(id));
    expect(missing).toEqual([]);
    const unwritten = [...shown].filter((id) => !/^W\d+$/.test(id) && !promised.includes(id));
    expect(unwritten).toEqual([]);
  });
});
