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

/**
 * What to keep after hearing of another checkpoint, as of the same slot as ours; ours itself when
 * it is no worse.
 *
 * @param hitsIn thousandths of hits that we know of in a slot after ours
 */
export function joinedCheckpoint(
  own: Checkpoint,
  heard: Checkpoint,
  leak: number,
  hitsIn: (slot: number) => number,
): Checkpoint {
  if (heard.slot <= own.slot) {
    // The hits of the slots between are folded away here: what is left is a lower bound.
    const gap = own.slot - heard.slot;
    const level = drain(heard.level, leak, gap);
    return betterCheckpoint(own, { slot: own.slot, level, exact: heard.exact && gap === 0 });
  }
  // Fold ours forward, and choose the start that leads to theirs if theirs is the better one.
  let level = own.level;
  let change = 0;
  for (let slot = own.slot + 1; slot <= heard.slot; slot++) {
    const hits = hitsIn(slot);
    level = foldSlot(level, leak, hits);
    change += hits - leak;
  }
  const forward = { slot: heard.slot, level, exact: false };
  if (betterCheckpoint(forward, heard) === forward || heard.level === level) return own;
  return { slot: own.slot, level: Math.max(0, heard.level - change), exact: false };
}
