/**
 * How the oldest slot leaves a sliding window: the share of its hits that counts falls over time. A
 * wait is rounded up to whole milliseconds, never down.
 */

/**
 * The least elapsed part of a slot, in whole ms, after which `trailing × (width - elapsed) / width`
 * is at most `room`.
 */
export function elapsedUntilFits(trailing: number, room: number, width: number): number {
  if (trailing <= 0) return 0;
  let left = Math.min(width, Math.floor((room * width) / trailing));
  // One division may round across a whole number.
  if (left < width && (left + 1) * trailing <= room * width) left++;
  if (left * trailing > room * width) left--;
  return width - left;
}
