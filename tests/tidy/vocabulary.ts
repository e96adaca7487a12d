/**
 * One noun per concept, and the words that are never written at all.
 *
 * A synonym makes a reader wonder whether two things are meant. The rules hold for the identifiers,
 * comments and messages of packages' sources; `meant` are uses that are not the concept.
 */

export interface Synonym {
  /** The word not to use, in lower case and the singular; its plural is meant as well. */
  readonly word: string;
  readonly say: string;
  /** Text in which the word means something else and is let through. */
  readonly meant?: RegExp;
  /** Identifiers that are let through, because users are promised them. */
  readonly names?: readonly string[];
  /** Only in these folders of a package's sources; everywhere when absent. */
  readonly folders?: readonly string[];
}

const WIRE_FOLDERS = ["wire/", "protocol/", "transport/"];

export const SYNONYMS: readonly Synonym[] = [
  {
    word: "node",
    say: "replica",
    meant: /\bnode:[a-z]|\bNode\b|node_modules|@nats-io\/transport-node/g,
    names: ["node_id", "node_ids"],
  },
  { word: "peer", say: "replica", meant: /\bpeer dependenc(y|ies)\b/g, names: ["peers"] },
  {
    ...{ word: "instance", say: "replica", meant: /\bfor instance\b/gi },
    names: ["FastifyInstance"],
  },
  { word: "cell", say: "component" },
  { word: "packet", say: "frame" },
  { word: "datagram", say: "frame" },
  { word: "message", say: "frame", folders: WIRE_FOLDERS },
];

/** Pages and programs whose sentences name who acts. What is rewritten that way is added here. */
export const ACTORS_ARE_NAMED: readonly RegExp[] = [
  /^docs\/README\.md$/,
  /^docs\/(decisions|guides|internals|reference)\//,
  /^(CHANGELOG|CONTRIBUTING|SECURITY)\.md$/,
  /^benchmarks\/README\.md$/,
  /^packages\/[^/]+\/README\.md$/,
  /^examples\/(?!test\/)/,
  /^packages\/core\/(src|test)\/(base|cluster|crdt|defects|replication|runtime|time|transport|wire)\//,
  /^packages\/nats-transport\//,
  /^packages\/core\/src\/(http|limiter|policies|store)\//,
  /^packages\/(express|koa|fastify|testkit)\/src\//,
  /^scripts\//,
  /^tests\/(?!tidy\/vocabulary\.ts|sabotage\/)/,
];

/** Words that leave open who acts, and what to write in their place. */
export const UNNAMED_ACTORS = {
  words: ["anybody", "everybody", "nobody", "somebody", "whoever"],
  say: "'the receiver', 'a client', 'no process', 'you'",
} as const;

/** File names that say where something was put instead of what it is. */
export const CATCH_ALL_NAMES: readonly string[] = [
  "common",
  "helper",
  "helpers",
  "misc",
  "shared",
  "types",
  "util",
  "utils",
];

export interface NeverWritten {
  readonly what: string;
  readonly pattern: RegExp;
}

/** What no file of the repository contains. */
export const NEVER_WRITTEN: readonly NeverWritten[] = [
  { what: "a postponed thought: do it, or leave it out", pattern: /\b(TODO|FIXME|XXX|HACK)\b/ },
  {
    what: "a path of somebody's machine",
    pattern: /(^|[\s"'`(=])(\/home\/|\/root\/|\/Users\/|\/work\/|[A-Z]:\\Users\\)/,
  },
  {
    what: "the host of a package registry",
    pattern: /registry\.(npmjs|yarnpkg)\.|npm\.pkg\.github\.com|\bnpmjs\.(com|org)\b/,
  },
];

export const FOCUSED_OR_SKIPPED: RegExp = /\b(describe|it|suite|test)\s*\.\s*(only|skip|todo)\b/;
