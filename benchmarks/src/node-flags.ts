/**
 * The flags that the processes of the benchmarks run under.
 *
 * A subject whose speed is measured has the runtime as users have it. What differs elsewhere keeps
 * the runtime's own work out of a figure that is about a limiter.
 */

/** For every process: collecting on demand, and room for whatever a subject holds. */
export const COMMON_FLAGS: readonly string[] = ["--expose-gc", "--max-old-space-size=12288"];

/** A young generation, in MiB, that holds whatever a scenario allocates. */
export const YOUNG_GENERATION_FLAGS: readonly string[] = [
  "--min-semi-space-size=256",
  "--max-semi-space-size=256",
];

/** No collection that the runtime starts by itself after a while of doing nothing. */
export const UNDISTURBED_FLAGS: readonly string[] = ["--no-memory-reducer"];
