/**
 * The number of runs of a property test, and their seed; both are set outside the test.
 *
 * The usual runs start from one fixed seed, so that a commit that passed passes again on every
 * machine. `TIDEGATE_TEST_SCALE=10` makes ten times as many from a random seed, to find new
 * failures. `TIDEGATE_TEST_SEED=42` makes every property start from that seed.
 * `TIDEGATE_TEST_SEED=42:7:1` goes straight to the case with that path, to replay a failure: the
 * command that a failing property prints contains both.
 */

/** The seed of the usual runs. Any number would do. */
const USUAL_SEED = 20_200_229;

/** The parameters for fast-check's `assert`. */
export interface SeededRuns {
  numRuns: number;
  seed?: number;
  /** The path of the case that runs first. */
  path?: string;
}

/** The runs for a property that makes `defaultRuns` by default. */
export function seededRuns(
  defaultRuns: number,
  env: Readonly<Record<string, string | undefined>> = process.env,
): SeededRuns {
  const given = numberFrom(env, "TIDEGATE_TEST_SCALE");
  const scale = given ?? 1;
  if (!(scale > 0)) throw new RangeError(`TIDEGATE_TEST_SCALE must be above 0, got ${scale}`);
  const numRuns = Math.max(1, Math.round(defaultRuns * scale));
  const start = startFrom(env) ?? (given === undefined ? { seed: USUAL_SEED } : {});
  return { numRuns, ...start };
}

/** The command that runs the failing case of a test again. */
export function replayCommand(
  { file, title }: { readonly file: string; readonly title: string },
  { seed, path }: { readonly seed: number; readonly path: string | null },
): string {
  const project = /\.(property|simulation|integration)\.test\.ts$/.exec(file)?.[1] ?? "unit";
  const start = path === null || path === "" ? `${seed}` : `${seed}:${path}`;
  // Other characters may mean something in a pattern, and a quote would end the argument.
  const pattern = title.replaceAll(/[^\p{L}\p{N} ,]/gu, ".");
  return `TIDEGATE_TEST_SEED=${start} npm run test:fast -- --project=${project} ${file} -t '${pattern}'`;
}

function startFrom(env: Readonly<Record<string, string | undefined>>): Partial<SeededRuns> | null {
  const text = env["TIDEGATE_TEST_SEED"]?.trim() ?? "";
  if (text === "") return null;
  const [seedText = "", ...path] = text.split(":");
  const seed = Number(seedText);
  const isPath = path.every((part) => /^\d+$/.test(part));
  if (seedText === "" || !Number.isSafeInteger(seed) || !isPath) {
    throw new RangeError(`TIDEGATE_TEST_SEED must be a whole number, or with a path, got ${text}`);
  }
  return path.length === 0 ? { seed } : { seed, path: path.join(":") };
}

function numberFrom(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): number | undefined {
  const text = env[name]?.trim();
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new RangeError(`${name} must be a number, got ${text}`);
  return value;
}
