/**
 * The files of the repository as the tidy test reads them: listed once, parsed on demand.
 */

import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { type Comment, type ParseResult, parseSync, Visitor, type VisitorObject } from "oxc-parser";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Folders that git ignores, so that what tools leave behind is not judged. */
const IGNORED_FOLDERS = new Set([
  ".git",
  ...read(".gitignore")
    .split("\n")
    .filter((line) => line.endsWith("/"))
    .map((line) => line.slice(0, -1)),
]);

/** Every file of the repository, relative to its root, with forward slashes. */
export const FILES: readonly string[] = filesIn("");

/** The sources that packages publish. */
export const SOURCES: readonly string[] = FILES.filter((file) =>
  /^packages\/[^/]+\/src\/.*\.ts$/.test(file),
);

/** Everything that is code, tests and scripts included. */
export const CODE: readonly string[] = FILES.filter((file) =>
  /\.(ts|mts|cts|js|mjs|cjs)$/.test(file),
);

export function read(file: string): string {
  return readFileSync(ROOT + file, "utf8");
}

export function lineCount(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

export interface SizedFunction {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

export interface Import {
  readonly from: string;
  /** Whether anything but types is imported. */
  readonly runs: boolean;
}

/** A property of an interface, or of a type written as one. */
export interface Member {
  /** The interface or type, and the property. */
  readonly name: string;
  /** What the comment before it says, without its tags; empty where there is none. */
  readonly told: string;
}

export interface Words {
  readonly line: number;
  readonly kind: "name" | "prose";
  readonly text: string;
}

/** A parsed TypeScript or JavaScript file and the questions the tidy test asks of it. */
export class SourceFile {
  readonly #text: string;
  readonly #parsed: ParseResult;

  constructor(file: string) {
    this.#text = read(file);
    this.#parsed = parseSync(file, this.#text);
    const error = this.#parsed.errors[0];
    if (error !== undefined) throw new Error(`${file} does not parse: ${error.message}`);
  }

  /** The comment the file begins with, before any code. */
  get moduleComment(): Comment | undefined {
    const first = this.#parsed.comments[0];
    return first !== undefined && this.#text.slice(0, first.start).trim() === ""
      ? first
      : undefined;
  }

  /** What the file imports and re-exports, dynamic imports included. */
  imports(): Import[] {
    const { staticImports, staticExports, dynamicImports } = this.#parsed.module;
    const imported = staticImports.map(({ moduleRequest, entries }) => ({
      from: moduleRequest.value,
      runs: entries.length === 0 || entries.some(({ isType }) => !isType),
    }));
    const exported = staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ moduleRequest, isType }) =>
        moduleRequest === null ? [] : [{ from: moduleRequest.value, runs: !isType }],
      );
    const dynamic = dynamicImports.map(({ moduleRequest }) => ({
      from: this.#text.slice(moduleRequest.start + 1, moduleRequest.end - 1),
      runs: true,
    }));
    return [...imported, ...exported, ...dynamic];
  }

  /** Named functions, methods and functions held by a constant, with their length in lines. */
  functions(): SizedFunction[] {
    const found: SizedFunction[] = [];
    const note = (name: string, span: Span): void => {
      const line = this.#lineAt(span.start);
      found.push({ name, line, lines: this.#lineAt(span.end) - line + 1 });
    };
    this.#visit({
      FunctionDeclaration: (node) => note(node.id?.name ?? "default", node),
      MethodDefinition: (node) => note(this.#textOf(node.key), node),
      VariableDeclarator: (node) => {
        const value = node.init?.type;
        if (value === "ArrowFunctionExpression" || value === "FunctionExpression") {
          note(this.#textOf(node.id), node);
        }
      },
    });
    return found;
  }

  /** Every property that an interface or a type declares. */
  members(): Member[] {
    const found: Member[] = [];
    let owner = "";
    this.#visit({
      TSInterfaceDeclaration: (node) => {
        owner = node.id.name;
      },
      TSTypeAliasDeclaration: (node) => {
        owner = node.id.name;
      },
      TSPropertySignature: (node) => {
        const name = `${owner}.${this.#textOf(node.key)}`;
        found.push({ name, told: this.#toldBefore(node.start) });
      },
    });
    return found;
  }

  /** The text of the comment that ends right before a position. */
  #toldBefore(position: number): string {
    const before = this.#parsed.comments.filter(({ end }) => end <= position);
    const comment = before.findLast(({ value }) => value.startsWith("*"));
    if (comment === undefined) return "";
    // Remarks for tools may stand between the two.
    const between = this.#text.slice(comment.end, position).replaceAll(/\/\/.*/g, "");
    if (between.trim() !== "") return "";
    const [told = ""] = comment.value.split(/^[\s*]*@/m);
    return told.replaceAll(/[\s*]+/g, " ").trim();
  }

  /** The lines where one of some names stands in a field, or in the type of a property or of a module's variable. */
  kept(names: readonly string[]): number[] {
    const keepers: Span[] = [];
    const functions: Span[] = [];
    const uses: Span[] = [];
    const keep = (node: Span): void => void keepers.push(node);
    const enter = (node: Span): void => void functions.push(node);
    this.#visit({
      PropertyDefinition: keep,
      TSPropertySignature: keep,
      VariableDeclaration: keep,
      FunctionDeclaration: enter,
      FunctionExpression: enter,
      ArrowFunctionExpression: enter,
      TSFunctionType: enter,
      Identifier: (node) => {
        if (names.includes(node.name)) uses.push(node);
      },
    });
    // What stands in a function, its parameters and variables among it, goes with its call.
    const lasting = uses.filter((used) => !functions.some((body) => isWithin(used, body)));
    return lasting
      .filter((used) => keepers.some((keeper) => isWithin(used, keeper)))
      .map(({ start }) => this.#lineAt(start));
  }

  /** Every identifier, comment and message in the file. */
  words(): Words[] {
    const found: Words[] = [];
    const note = (kind: Words["kind"], text: string, span: Span): void => {
      found.push({ kind, text, line: this.#lineAt(span.start) });
    };
    const specifiers = new Set(this.imports().map(({ from }) => from));
    this.#visit({
      Identifier: (node) => note("name", node.name, node),
      PrivateIdentifier: (node) => note("name", node.name, node),
      Literal: (node) => {
        if (typeof node.value === "string" && !specifiers.has(node.value)) {
          note("prose", node.value, node);
        }
      },
      TemplateElement: (node) => note("prose", node.value.raw, node),
    });
    for (const comment of this.#parsed.comments) note("prose", comment.value, comment);
    return found;
  }

  #visit(visitor: VisitorObject): void {
    new Visitor(visitor).visit(this.#parsed.program);
  }

  #textOf(span: Span): string {
    return this.#text.slice(span.start, span.end);
  }

  #lineAt(offset: number): number {
    return this.#text.slice(0, offset).split("\n").length;
  }
}

/** What a file imports by a relative path, with the target relative to the root. */
export function relativeImports(file: string): { target: string; runs: boolean }[] {
  return new SourceFile(file)
    .imports()
    .filter(({ from }) => from.startsWith("."))
    .map(({ from, runs }) => ({ target: posix.join(posix.dirname(file), from), runs }));
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function isWithin(inner: Span, outer: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

function filesIn(folder: string): string[] {
  return readdirSync(ROOT + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory()) return IGNORED_FOLDERS.has(entry.name) ? [] : filesIn(`${path}/`);
    return entry.isFile() ? [path] : [];
  });
}
