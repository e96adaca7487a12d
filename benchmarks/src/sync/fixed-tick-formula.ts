/**
 * How long a hit takes to be seen everywhere in a design where processes form a binary tree and pass
 * on, at a fixed tick, what they were told: computed, for comparison, and never measured.
 */

/** What a message takes from one process to the next, as that design assumes it. */
const HOP_MS = 5;

export function fixedTickMs(processes: number, tickMs: number): number {
  const edgesToRoot = Math.max(0, Math.log2(processes + 1) - 1);
  return 2 * edgesToRoot * (tickMs + HOP_MS);
}
