import { describe, expect, it } from "vitest";
import { sectionsWith } from "../src/section.ts";
import { coreSuite } from "../src/suites/core-suite.ts";

describe("sectionsWith", () => {
  it("keeps everything when no word is given", () => {
    const suite = coreSuite(false);
    expect(sectionsWith(suite, [])).toEqual(suite);
  });

  it("keeps the jobs that have every word in heading or title", () => {
    const [section, ...others] = sectionsWith(coreSuite(false), ["MEMORY", "koa"]);
    expect(others).toEqual([]);
    expect(section!.jobs.map(({ title }) => title)).toEqual(["koa-ratelimit, 1000000 keys"]);
  });

  it("keeps nothing for a word that nothing has", () => {
    expect(sectionsWith(coreSuite(true), ["nonsense"])).toEqual([]);
  });
});
