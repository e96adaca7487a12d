/**
 * How files are named, how they begin, and what none of them contains.
 */

import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { CODE, FILES, read, SOURCES, SourceFile } from "./source-tree.ts";
import { CATCH_ALL_NAMES, FOCUSED_OR_SKIPPED, NEVER_WRITTEN } from "./vocabulary.ts";

const tests = CODE.filter((file) => /\.test(-d)?\.ts$/.test(file));
const written = FILES.filter(
  (file) =>
    /(^|\/)[^/.]+$|\.(ts|mts|cts|js|mjs|cjs|json|md|yml|yaml)$|^\.ci\/|^\.npmrc$/.test(file) &&
    !file.startsWith("tests/tidy/"),
);

describe("files", () => {
  it("are named in kebab-case", () => {
    const odd = FILES.filter((file) => /\.(ts|mjs|js|json|md)$/.test(file)).filter((file) => {
      const name = posix.basename(file);
      return !/^\.?[a-z0-9]+([.-][a-z0-9]+)*$/.test(name) && !/^[A-Z_]+\.md$/.test(name);
    });
    expect(odd).toEqual([]);
  });

  it("are named by what is in them", () => {
    const vague = FILES.flatMap((file) => {
      const words = file.split("/").map((part) => part.replace(/\..*$/, ""));
      const found = CATCH_ALL_NAMES.filter((name) => words.includes(name));
      const inCode = /^(packages\/[^/]+\/src|scripts)\//.test(file);
      return inCode && found.length > 0 ? [`${file}: name the idea, not '${found[0]}'`] : [];
    });
    expect(vague).toEqual([]);
  });

  it("say in a comment at the top what they are about", () => {
    const silent = SOURCES.filter((file) => {
      const comment = new SourceFile(file).moduleComment;
      return comment === undefined || !comment.value.startsWith("*");
    }).map(
      (file) => `${file}: begin with a comment: the idea, then what a maintainer must respect`,
    );
    expect(silent).toEqual([]);
  });

  it("contain nothing that is never written", () => {
    const found = written.flatMap((file) =>
      read(file)
        .split("\n")
        .flatMap((line, index) =>
          NEVER_WRITTEN.filter(({ pattern }) => pattern.test(line)).map(
            ({ what }) => `${file}:${index + 1}: ${what}`,
          ),
        ),
    );
    expect(found).toEqual([]);
  });

  it("emit warnings in one place, which emits text: Node refuses an error of another realm", () => {
    const emitting = SOURCES.filter((file) =>
      /\bemitWarning\b.*\bprocess\b|\bprocess\.emitWarning/.test(read(file)),
    );
    expect(emitting.sort()).toEqual([
      "packages/core/src/runtime/emit-warning.ts",
      "packages/testkit/src/http/site.ts",
    ]);
  });

  it("leave no test focused, skipped or postponed", () => {
    const found = tests
      .filter((file) => !file.startsWith("tests/tidy/"))
      .flatMap((file) =>
        read(file)
          .split("\n")
          .flatMap((line, index) =>
            FOCUSED_OR_SKIPPED.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
          ),
      );
    expect(found).toEqual([]);
  });

  it("of properties say what was expected, which a bare true or false does not", () => {
    // With a message it says enough: expect(isCut, "a cut is not noticed").
    const bare = /(?<!["`]\))\.(toBe\((true|false)\)|toBeTruthy\(\)|toBeFalsy\(\))/;
    const found = tests
      .filter((file) => /\.(property|simulation)\.test\.ts$/.test(file))
      .flatMap((file) =>
        read(file)
          .split("\n")
          .flatMap((line, index) =>
            bare.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
          ),
      );
    expect(found).toEqual([]);
  });

  it("lock versions and checksums, not the host they came from", () => {
    const locks = FILES.filter((file) => posix.basename(file) === "package-lock.json");
    expect(locks).toEqual(["package-lock.json", "site/package-lock.json"]);
    expect(locks.filter((file) => /"resolved": "(https?|git)/.test(read(file)))).toEqual([]);
  });

  it("lock every package that another one needs, also on other platforms", () => {
    for (const lock of ["package-lock.json", "site/package-lock.json"]) {
      const { packages }: { packages: Record<string, Locked> } = JSON.parse(read(lock));
      const needed = Object.values(packages).flatMap(({ dependencies, optionalDependencies }) =>
        Object.keys({ ...dependencies, ...optionalDependencies }),
      );
      const locked = new Set(
        Object.keys(packages).map((path) => path.split("node_modules/").at(-1)),
      );
      expect([...new Set(needed)].filter((name) => !locked.has(name))).toEqual([]);
    }
  });
});

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
