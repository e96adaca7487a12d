/**
 * Makes rare paths common: in a test project with this plugin, bounds of core that only large fleets
 * and long times reach are a few entries wide.
 *
 * The constants are replaced while the sources are loaded, so what ships has no option for them and
 * pays nothing. A constant that is not found fails the project: it was renamed, or is gone.
 */

interface Plugin {
  readonly name: string;
  readonly enforce: "pre";
  transform(code: string, id: string): { code: string; map: null } | undefined;
}

/** By file in `packages/core/src`, the constants and their narrow values. */
const NARROWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // Slices of one record, of one section, and batches of a few counts.
  "base/slices.ts": { STEPS: "1" },
  "protocol/receive/frame-receiver.ts": { SECTIONS_AT_ONCE: "1" },
  "store/table/key-index.ts": { LOCATED_MAX: "1", SEGMENT_SLOTS_MIN: "2", SEGMENT_SLOTS_MAX: "4" },
  "wire/component-batch.ts": { BATCH_MAX: "2", FIRST_ROWS: "1" },
  // Version vectors, parts of replies and kept frames that overflow.
  "protocol/receive/received-frames.ts": { ABOVE_BITS: "2" },
  "protocol/anti-entropy/reply-parts.ts": { SERIES_MAX: "1", UNITS_MAX: "12" },
  "protocol/anti-entropy/recent-frames.ts": { FRAMES_MAX: "4" },
  "protocol/limiters/replicated-limiter.ts": { EVICTED_MAX: "1" },
  // Versions of records that wrap around after sixteen.
  "store/table/entry.ts": { VERSIONS: "16" },
  // Lists that grow and are cut.
  "store/delta/unsent-counts.ts": { FIRST_POSITIONS: "1" },
  "protocol/receive/frame-queue.ts": { ENTRIES_KEPT: "1" },
  "store/table/record-pool.ts": { FIRST_CHUNK_RECORDS: "2" },
};

/** A plugin of vite. */
export function narrowedBounds(): Plugin {
  return {
    name: "narrowed-bounds",
    enforce: "pre",
    transform(code, id) {
      const path = id.split("?")[0]!.split("/packages/core/src/")[1];
      const constants = path === undefined ? undefined : NARROWED[path];
      return constants === undefined ? undefined : { code: narrowed(code, constants), map: null };
    },
  };
}

function narrowed(code: string, constants: Readonly<Record<string, string>>): string {
  let written = code;
  for (const [name, value] of Object.entries(constants)) {
    const before = written;
    const declared = new RegExp(`^((?:export )?const ${name}(?:: number)? = )[^;]+;`, "m");
    written = before.replace(declared, (_, head: string) => `${head}${value};`);
    if (written === before) throw new Error(`tests/narrowed-bounds.ts names no constant: ${name}`);
  }
  return written;
}
