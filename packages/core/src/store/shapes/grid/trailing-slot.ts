/**
 * How the oldest slot of a sliding window leaves it: the longer it has been leaving, the less of its hits
 * counts, and what is answered in whole milliseconds must not be one too few.
 */

/**
 * The least elapsed part of a slot, in whole ms, after which `trailing × (width - elapsed) / width`
 * is at most `room`.
 */
export function elapsedUntilFits(trailing: number, evictor: number, width: number): number {
  if (trailing <= 0) return 0;
  let left = Math.min(width, Math.floor((evictor * width) / trailing));
  // One division may round across a whole number.
  if (left < width && (left + 1) * trailing <= evictor * width) left++;
  if (left * trailing > evictor * width) left--;
  return width - left;
}
