/**
 * A bucket's level after some slot: what remains of the slots that were folded away.
 *
 * Starting a saturated bucket from a truncated history would forgive it, so the level outlives its
 * slots. Two replicas' levels compare only after the same slot: the older one is folded forward
 * first, because the larger of two different slots is a level that never was. A level may lack hits that
 * its replica has not heard of, and has none that did not happen, so of two after one slot the larger
 * is nearer to the truth.
 */

export interface Checkpoint {
  /** The last slot folded in. */
  readonly slot: number;
  /** The level after that slot, in thousandths of a hit. */
  readonly level: number;
}

/** The level one slot later: drained by `leak`, then filled by the slot's hits. */
export function foldSlot(level: number, leak: number, hits: number): number {
  return Math.max(0, Math.max(0, level - leak) + hits);
}

/** The level after `slots` slots without hits. */
export function drain(level: number, leak: number, slots: number): number {
  return Math.max(0, level - leak * slots);
}

/** Which of two checkpoints after the same slot to keep: the larger. */
export function betterCheckpoint(known: Checkpoint, heard: Checkpoint): Checkpoint {
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
    const level = drain(heard.level, leak, own.slot - heard.slot);
    return betterCheckpoint(own, { slot: own.slot, level });
  }
  // Fold ours forward, and choose the start that leads to theirs if theirs is the better one.
  let level = own.level;
  let change = 0;
  for (let slot = own.slot + 1; slot <= heard.slot; slot++) {
    const hits = hitsIn(slot);
    level = foldSlot(level, leak, hits);
    change += hits - leak;
  }
  if (heard.level <= level) return own;
  return { slot: own.slot, level: Math.max(0, heard.level - change) };
}
