/**
 * How many runs a property test makes, and from which seed: decided outside of the test.
 *
 * The usual runs start from one fixed seed, so that a commit that passed passes again, anywhere.
 * `TIDEGATE_TEST_SCALE=10` makes ten times as many from a seed drawn at random: looking for what
 * nobody has met yet is its job. `TIDEGATE_TEST_SEED=42` makes every property start from that one
 * number, which is how a failure is replayed.
 */

/** Where the usual runs start from. Any number would do. */
const USUAL_SEED = 20_200_229;

/** The parameters for fast-check's `assert`. */
export interface SeededRuns {
  numRuns: number;
  seed?: number;
}

/** The runs for a property that makes `defaultRuns` of them when nobody asks for more or fewer. */
export function seededRuns(
  defaultRuns: number,
  env: Readonly<Record<string, string | undefined>> = process.env,
): SeededRuns {
  const given = numberFrom(env, "TIDEGATE_TEST_SCALE");
  const scale = given ?? 1;
  if (!(scale > 0)) throw new RangeError(`TIDEGATE_TEST_SCALE must be above 0, got ${scale}`);
  const seed =
    numberFrom(env, "TIDEGATE_TEST_SEED") ?? (given === undefined ? USUAL_SEED : undefined);
  if (seed !== undefined && !Number.isSafeInteger(seed)) {
    throw new RangeError(`TIDEGATE_TEST_SEED must be a whole number, got ${seed}`);
  }
  const numRuns = Math.max(1, Math.round(defaultRuns * scale));
  return seed === undefined ? { numRuns } : { numRuns, seed };
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
