/**
 * What every package has in common, and how packages may use each other.
 */

import { describe, expect, it } from "vitest";
import { FILES, read, relativeImports, SOURCES, SourceFile } from "./source-tree.ts";

describe("packages", () => {
  it("stay within their own sources and use others by name", () => {
    const deep = SOURCES.flatMap((file) => {
      const home = file.split("/").slice(0, 3).join("/");
      return [
        ...relativeImports(file)
          .filter(({ target }) => !target.startsWith(`${home}/`))
          .map(({ target }) => `${file} reaches into ${target}: import the package by its name`),
        ...new SourceFile(file)
          .imports()
          .filter(({ from }) => /^@tidegate\/[^/]+\/(src|dist)\b/.test(from))
          .map(({ from }) => `${file} imports ${from}: use an entry of the package`),
      ];
    });
    expect(deep).toEqual([]);
  });

  it("have a core that depends on nothing at run time", () => {
    const manifest = JSON.parse(read("packages/core/package.json"));
    expect({ ...manifest.dependencies, ...manifest.peerDependencies }).toEqual({});
  });

  it("write every entry in the one form that keeps a single copy", () => {
    const wrong = manifests().flatMap(({ file, manifest }) => {
      if (manifest.private === true) return [];
      const expected = expectedEntries(Object.keys(manifest.exports));
      const { exports, main, types, files, typesVersions } = manifest;
      const given = { exports, main, types, files, typesVersions };
      return JSON.stringify(given) === JSON.stringify(expected)
        ? []
        : [`${file}: expected ${JSON.stringify(expected, null, 2)}`];
    });
    expect(wrong).toEqual([]);
  });

  it("say where they come from, in the words of the repository's own manifest", () => {
    const { repository } = JSON.parse(read("package.json"));
    const url = repository.url.replace(/^git\+|\.git$/g, "");
    for (const { file, manifest } of manifests().filter(({ manifest }) => !manifest.private)) {
      const directory = file.replace("/package.json", "");
      expect(manifest, file).toMatchObject({
        homepage: `${url}/tree/main/${directory}#readme`,
        bugs: `${url}/issues`,
        repository: { ...repository, directory },
        publishConfig: { access: "public", provenance: true },
        sideEffects: false,
        keywords: expect.arrayContaining(["rate-limit"]),
      });
    }
    expect(read("packages/core/src/base/errors.ts")).toContain(
      `DOCS_URL = "${url}/blob/main/docs"`,
    );
  });

  it("want the core of their own version", () => {
    for (const { file, manifest } of manifests()) {
      const core = manifest.peerDependencies?.["@tidegate/core"] ?? manifest.version;
      expect(core, file).toBe(manifest.version);
    }
  });

  it("are all versioned together and licensed alike", () => {
    const versions = new Set(manifests().map(({ manifest }) => manifest.version));
    const licences = new Set(manifests().map(({ manifest }) => manifest.license));
    expect([versions.size, ...licences]).toEqual([1, "MIT"]);
  });
});

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly private?: boolean;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports: Record<string, unknown>;
  readonly main?: unknown;
  readonly types?: unknown;
  readonly files?: unknown;
  readonly typesVersions?: unknown;
}

function manifests(): { file: string; manifest: Manifest }[] {
  return FILES.filter((file) => /^packages\/[^/]+\/package\.json$/.test(file)).map((file) => ({
    file,
    manifest: JSON.parse(read(file)),
  }));
}

/** See docs/decisions/package-form.md for what each condition is for. */
function expectedEntries(entries: readonly string[]): object {
  const names = entries.filter((entry) => entry !== "./package.json");
  const fileOf = (entry: string): string => (entry === "." ? "index" : entry.slice(2));
  const others = names.filter((entry) => entry !== ".").map(fileOf);
  return {
    exports: {
      ...Object.fromEntries(
        names.map((entry) => [
          entry,
          {
            "@tidegate/source": `./src/${fileOf(entry)}.ts`,
            import: {
              types: `./dist/${fileOf(entry)}.d.mts`,
              default: `./dist/${fileOf(entry)}.mjs`,
            },
            default: {
              types: `./dist/${fileOf(entry)}.d.cts`,
              default: `./dist/${fileOf(entry)}.cjs`,
            },
          },
        ]),
      ),
      "./package.json": "./package.json",
    },
    main: "./dist/index.cjs",
    types: "./dist/index.d.cts",
    files: ["dist", "!dist/unbundled"],
    ...(others.length > 0 && {
      typesVersions: {
        "*": Object.fromEntries(others.map((file) => [file, [`./dist/${file}.d.cts`]])),
      },
    }),
  };
}
