/**
 * The level of a bucket after some slot. It stands for the slots that were folded away.
 *
 * Without the level, a full bucket whose old slots are dropped would look empty, so the level
 * outlives its slots. Levels of two replicas compare only after the same slot, so the merge first
 * folds the older one forward. The larger of two levels after different slots would be a level that
 * never existed.
 *
 * The merge keeps the larger level. A level may lack hits that its replica has not received. It
 * never contains hits that did not happen. So the larger of two levels is nearer to the truth.
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

/**
 * Merges a received checkpoint into our own. The result is of the same slot as ours, and is ours
 * itself when it is no worse.
 *
 * @param hitsIn thousandths of hits that we know of in a slot after ours
 */
export function joinedCheckpoint(
  own: Checkpoint,
  received: Checkpoint,
  leak: number,
  hitsIn: (slot: number) => number,
): Checkpoint {
  if (received.slot <= own.slot) {
    // The hits of the slots in between are folded away here: what remains is a lower bound.
    const level = drain(received.level, leak, own.slot - received.slot);
    return level > own.level ? { slot: own.slot, level } : own;
  }
  // Fold ours forward. If theirs is larger, choose the start level that leads to theirs.
  let level = own.level;
  let change = 0;
  for (let slot = own.slot + 1; slot <= received.slot; slot++) {
    const hits = hitsIn(slot);
    level = foldSlot(level, leak, hits);
    change += hits - leak;
  }
  if (received.level <= level) return own;
  return { slot: own.slot, level: Math.max(0, received.level - change) };
}
