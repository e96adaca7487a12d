/**
 * What several copies of this package in one process share.
 *
 * A test runner that resets its modules, and a nested installation, load a second copy. Copies of
 * one version share their process-wide state, and each accepts what the other created. Different
 * versions share nothing, since the shape of their objects may differ.
 */

import { TidegateError } from "../base/errors.ts";

/** The bundler puts the version of the package here; the sources have none. */
declare const TIDEGATE_VERSION: string;

const VERSION = typeof TIDEGATE_VERSION === "string" ? TIDEGATE_VERSION : "0.0.0-sources";

/** Bundles in the ES module format have no `__filename`. */
const LOADED_FROM = typeof __filename === "string" ? __filename : "a bundle";

const STATE = Symbol.for(`tidegate.state@${VERSION}`);
const MADE = Symbol.for("tidegate.made");

type Kind = "policy" | "cluster";

interface Mark {
  readonly kind: Kind;
  readonly version: string;
  readonly from: string;
  /** What the object stands for, for code of the same version. */
  readonly inside: unknown;
}

/**
 * State that all copies of this version share; the first copy that asks creates it. Under Jest each
 * test file has a global object of its own, and so its own state.
 */
export function sharedState<State extends object>(name: string, make: () => State): State {
  const all = globalThis as { [STATE]?: Map<string, object> };
  all[STATE] ??= new Map();
  const state = all[STATE].get(name) ?? make();
  all[STATE].set(name, state);
  return state as State;
}

/**
 * Marks what this copy has created, so that other copies know it. Clones of an object have no mark.
 */
export function markAsMade(value: object, kind: Kind, inside: unknown): void {
  const mark: Mark = { kind, version: VERSION, from: LOADED_FROM, inside };
  Object.defineProperty(value, MADE, { value: mark });
}

/**
 * The inside of an object that some copy of this version has created, or undefined for any other
 * object. Throws for the object of another version.
 */
export function insideOf(option: string, kind: Kind, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, MADE)) return undefined;
  const mark = (value as { [MADE]: Mark })[MADE];
  if (mark.kind !== kind) return undefined;
  if (mark.version === VERSION) return mark.inside;
  throw new TidegateError(
    "TIDEGATE_VERSIONS_DIFFER",
    `'${option}' was made by version ${mark.version} of @tidegate/core, loaded from ${mark.from}, and given to version ${VERSION}, loaded from ${LOADED_FROM}: install one version`,
  );
}
