/**
 * Lets a test project read the private fields of the sources: `#name` becomes `$name` when a file is
 * loaded. Nothing else changes, so what runs is the code that ships.
 *
 * State that is compared must be complete: a field that a method forgets to list would make two
 * states look equal that are not. So the project `exploration` reads the fields themselves.
 */

import { parseSync, Visitor } from "oxc-parser";

const SOURCES = /\/packages\/[^/]+\/src\/.*\.ts$/;

interface Plugin {
  readonly name: string;
  readonly enforce: "pre";
  transform(code: string, id: string): { code: string; map: null } | undefined;
}

/** A plugin of vite. */
export function exposedPrivates(): Plugin {
  return {
    name: "exposed-privates",
    enforce: "pre",
    transform(code, id) {
      const [path = ""] = id.split("?");
      if (!SOURCES.test(path) || !code.includes("#")) return undefined;
      return { code: exposed(path, code), map: null };
    },
  };
}

/** A source in which every private name is a public one. */
export function exposed(path: string, code: string): string {
  const { program } = parseSync(path, code);
  const names: number[] = [];
  const tested = new Set<number>();
  new Visitor({
    PrivateIdentifier({ start }) {
      names.push(start);
    },
    // `#name in object`, which the types of the parser do not know.
    BinaryExpression({ left, operator }) {
      const { type, start } = left as { type: string; start: number };
      if (operator === "in" && type === "PrivateIdentifier") tested.add(start);
    },
  }).visit(program);
  let written = "";
  let from = 0;
  for (const start of names.sort((left, right) => left - right)) {
    written += `${code.slice(from, start)}${tested.has(start) ? '"$' : "$"}`;
    from = start + 1;
    if (!tested.has(start)) continue;
    const length = /^\w+/.exec(code.slice(from))![0].length;
    written += `${code.slice(from, from + length)}"`;
    from += length;
  }
  return written + code.slice(from);
}
