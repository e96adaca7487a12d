/**
 * Imports within core point one way: from the entries down to the bottom.
 */

import { describe, expect, it } from "vitest";
import { CORE_PARTS, PURE_PARTS, partOf } from "./layers.ts";
import { relativeImports, SOURCES, SourceFile, read as textOf } from "./source-tree.ts";

const CORE = "packages/core/src/";
/** Globals that are timers, clocks, randomness or I/O. */
const IMPURE = new Set([
  ...["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "performance", "Date"],
  ...["process", "fetch", "crypto", "console", "Atomics", "WeakRef", "FinalizationRegistry"],
  ...["randomBytes", "randomInt", "randomUUID", "getRandomValues"],
]);

const coreSources = SOURCES.filter((file) => file.startsWith(CORE));

describe("the folders of core", () => {
  it("each belong to a part that is in the table", () => {
    const strays = coreSources
      .filter((file) => partOf(file.slice(CORE.length)) === undefined)
      .map((file) => `${file}: add it to a part in tests/tidy/layers.ts`);
    expect(strays).toEqual([]);
  });

  it("name only parts that exist and stand below them", () => {
    const wrong = CORE_PARTS.flatMap(({ name, mayImport }, position) => {
      const below = CORE_PARTS.slice(0, position).map((part) => part.name);
      return mayImport
        .filter((other) => !below.includes(other))
        .map((other) => `${name}: ${other}`);
    });
    expect(wrong).toEqual([]);
  });

  it("import only what is below them", () => {
    const upward = coreSources.flatMap((file) => {
      const part = partOf(file.slice(CORE.length));
      return relativeImports(file).flatMap(({ target }) => {
        const other = partOf(target.slice(CORE.length));
        if (part === undefined || other === undefined || part === other) return [];
        if (part.mayImport.includes(other.name)) return [];
        const allowed = part.mayImport.join(", ") || "nothing else";
        return [
          `${file} imports ${target}: ${part.name} may import ${allowed}. Move what is shared down.`,
        ];
      });
    });
    expect(upward).toEqual([]);
  });

  it("may import nothing that they do not import", () => {
    const used = new Set(
      coreSources.flatMap((file) =>
        relativeImports(file).map(
          ({ target }) =>
            `${partOf(file.slice(CORE.length))?.name}: ${partOf(target.slice(CORE.length))?.name}`,
        ),
      ),
    );
    const idle = CORE_PARTS.flatMap(({ name, mayImport }) =>
      mayImport.map((other) => `${name}: ${other}`),
    ).filter((may) => !used.has(may));
    expect(idle).toEqual([]);
  });

  it("import of a part with a face only what the face has", () => {
    const past = coreSources.flatMap((file) => {
      const part = partOf(file.slice(CORE.length));
      return relativeImports(file).flatMap(({ target }) => {
        const imported = target.slice(CORE.length);
        const other = partOf(imported);
        if (other?.face === undefined || part === other || other.face.includes(imported)) return [];
        return [`${file} imports ${target}: of ${other.name} take ${other.face.join(" or ")}`];
      });
    });
    expect(past).toEqual([]);
  });

  it("have faces of at most two files, and each of these is imported from outside", () => {
    const wrong = CORE_PARTS.flatMap(({ name, face = [] }) => {
      const idle = face.filter(
        (file) =>
          !coreSources.some(
            (importer) =>
              partOf(importer.slice(CORE.length))?.name !== name &&
              relativeImports(importer).some(({ target }) => target === CORE + file),
          ),
      );
      return [...(face.length > 2 ? [`${name} has more`] : []), ...idle];
    });
    expect(wrong).toEqual([]);
  });

  it("keep no record number beyond the call that found it, but for the store", () => {
    const outside = coreSources.filter((file) => !file.startsWith(`${CORE}store/`));
    const kept = outside.flatMap((file) =>
      new SourceFile(file)
        .kept(["RecordId", "NO_RECORD"])
        .map((line) => `${file}:${line}: at the next call the number may be another key's`),
    );
    const read = outside.filter((file) => /\b(numberOf|recordId)\b/.test(textOf(file)));
    expect([...kept, ...read.map((file) => `${file}: only the store reads a number`)]).toEqual([]);
  });

  it("do no I/O, keep no time and draw nothing, where they are to be replayed", () => {
    const pure = coreSources.filter((file) =>
      PURE_PARTS.includes(partOf(file.slice(CORE.length))?.name ?? ""),
    );
    expect(pure.length).toBeGreaterThan(PURE_PARTS.length);
    const impure = closureOf(pure).flatMap((file) => {
      const source = new SourceFile(file);
      const modules = source
        .imports()
        .filter(({ from, runs }) => runs && !from.startsWith(".") && from !== "node:crypto")
        .map(({ from }) => `${file}: imports ${from}`);
      const globals = source
        .words()
        .filter(({ kind, text }) => kind === "name" && IMPURE.has(text))
        .map(({ line, text }) => `${file}:${line}: ${text}`);
      const draws = /\bMath\.random\b/.test(textOf(file)) ? [`${file}: Math.random`] : [];
      return [...modules, ...globals, ...draws];
    });
    expect(impure).toEqual([]);
  });

  it("import nothing in a circle", () => {
    expect(circles(coreSources)).toEqual([]);
  });
});

/** These files, and all that they import to run. */
function closureOf(files: readonly string[]): string[] {
  const found = new Set(files);
  for (const file of found) {
    for (const { target, runs } of relativeImports(file)) if (runs) found.add(target);
  }
  return Array.from(found);
}

/** Circles among imports that run; types may refer to each other. */
function circles(files: readonly string[]): string[] {
  const next = new Map(
    files.map((file) => [
      file,
      relativeImports(file)
        .filter(({ runs }) => runs)
        .map(({ target }) => target),
    ]),
  );
  const done = new Set<string>();
  const found: string[] = [];
  const follow = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      found.push([...path.slice(path.indexOf(file)), file].join(" → "));
      return;
    }
    if (done.has(file)) return;
    for (const target of next.get(file) ?? []) follow(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) follow(file, []);
  return found;
}
