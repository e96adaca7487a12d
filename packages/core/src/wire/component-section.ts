/**
 * Counts (components) of one policy of one limiter, as a section of a frame.
 *
 *     | limiter 8 | of 8 | policy | place kind | gap bytes | age bytes |
 *     | generation | reset | base | openers | entries … |
 *
 * `of` is the replica that counted: 0 for the sender, otherwise a dead replica.
 *
 * An entry is a byte of flags, the gap to the fingerprint before it, its period, and the counts.
 * The rest follows only if the flags say so: what most entries have in common stands once, before
 * them.
 *
 *     flags   bits 0–3 a small number (15: a varint follows the gap)   16 same key: there is no gap
 *             32 refunds follow   64 refusals follow   128 generation and reset follow
 *     gap     `gap bytes` of the difference; all ones: eight bytes follow instead
 *
 * For a window, the small number is its opener in the table of the section, and `age bytes` (or a
 * varint, if 0) say how long before the opener's `base` it was opened, on the opener's clock: so
 * the identity arrives exactly as the opener gave it. For a slot or a time, the small number is how
 * far it lies before the section's `base`. A gauge has none.
 */

/** What kind of period a component belongs to. */
export const PLACE_KINDS = ["window", "place", "none"] as const;
export type PlaceKind = (typeof PLACE_KINDS)[number];

/** A small number that does not fit its four bits. */
export const SMALL_FOLLOWS = 15;
export const SAME_KEY = 16;
export const REFUNDS = 32;
export const REFUSALS = 64;
export const RARE = 128;

/** What a section says about all its entries. */
export interface ComponentHead {
  /** The limiter's identity, as two halves of 64 bits. */
  limiterLow: number;
  limiterHigh: number;
  /** The replica that counted, if it is not the sender; otherwise 0. */
  ofLow: number;
  ofHigh: number;
  policy: number;
  places: PlaceKind;
}
