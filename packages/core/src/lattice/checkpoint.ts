/**
 * A bucket's level after some slot: what remains of the slots that were folded away.
 *
 * Starting a saturated bucket from a truncated history would forgive it, so the level outlives its
 * slots. Two replicas' levels compare only after the same slot: the older one is folded forward
 * first, because the larger of two different slots is a level that never was.
 */

export interface Checkpoint {
  /** The last slot folded in. */
  readonly slot: number;
  /** The level after that slot, in thousandths of a hit. */
  readonly level: number;
  /** Whether every known replica had declared the slot final before it was folded. */
  readonly exact: boolean;
}

/** The level one slot later: drained by `leak`, then filled by the slot's hits. */
export function foldSlot(level: number, leak: number, hits: number): number {
  return Math.max(0, Math.max(0, level - leak) + hits);
}

/** The level after `slots` slots without hits. */
export function drain(level: number, leak: number, slots: number): number {
  return Math.max(0, level - leak * slots);
}

/** Which of two checkpoints after the same slot to keep: exact before estimated, then the larger. */
export function betterCheckpoint(known: Checkpoint, heard: Checkpoint): Checkpoint {
  if (known.exact !== heard.exact) return known.exact ? known : heard;
  return heard.level > known.level ? heard : known;
}
