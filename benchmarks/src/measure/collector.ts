/**
 * Collecting rubbish on demand, so that it happens outside what is measured.
 */

/** Collects all rubbish now. Some of the work goes on in the background after it returns. */
export function collectGarbage(): void {
  collector()();
}

/** Collects the rubbish of late only, which leaves nothing for the background. */
export function collectYoungGarbage(): void {
  collector()({ type: "minor" });
}

/** Any option but the one above would be taken for it, so all rubbish is asked for with none. */
function collector(): (options?: { type: "minor" }) => void {
  if (globalThis.gc === undefined) throw new Error("run node with --expose-gc");
  return globalThis.gc as (options?: { type: "minor" }) => void;
}
