import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import * as original from "express-rate-limit";
import { describe, expect, it } from "vitest";
import * as ours from "../src/index.ts";

describe("the package", () => {
  it("exports everything that express-rate-limit does, as names and as properties", () => {
    const { rateLimit } = ours;
    for (const name of Object.keys(original).filter((name) => name !== "default")) {
      expect(Reflect.get(ours, name), name).toBeDefined();
      expect(Reflect.get(rateLimit, name), name).toBe(Reflect.get(ours, name));
    }
    expect(ours.default).toBe(rateLimit);
    expect(Reflect.get(rateLimit, "default")).toBe(rateLimit);
    for (const unit of ["SECOND", "MINUTE", "HOUR", "DAY"] as const) {
      expect(Reflect.get(ours, unit)).toBe(Reflect.get(original, unit));
    }
  });

  it.each([
    ["192.0.2.1"],
    ["::ffff:192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6"],
    ["::1"],
    ["2001:db8::"],
    ["1:0:0:2::3"],
    ["not an address"],
  ])("makes of %s the key that express-rate-limit makes", (ip) => {
    for (const subnet of [undefined, 32, 48, 52, 60, 64]) {
      expect(ours.ipKeyGenerator(ip, subnet)).toBe(original.ipKeyGenerator(ip, subnet));
    }
  });
});

describe("the types", () => {
  it("have every name that those of express-rate-limit have", () => {
    const folder = dirname(createRequire(import.meta.url).resolve("express-rate-limit"));
    const theirs = readFileSync(`${folder}/index.d.ts`, "utf8");
    const names = [
      ...theirs.matchAll(/^export (?:declare )?(?:type|class|const|function) (\w+)/gm),
    ];
    const index = readFileSync(new URL("../src/index.ts", import.meta.url), "utf8");
    expect(names.length).toBeGreaterThan(20);
    const missing = names.flatMap(([, name = ""]) =>
      new RegExp(`\\b${name}\\b`).test(index) ? [] : [name],
    );
    expect(missing).toEqual([]);
  });
});
