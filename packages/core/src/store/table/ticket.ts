/**
 * A number by which a decision remembers the component that its hit was counted in.
 *
 * A refund finds the component again by computing the number of each that is still here. It fits a
 * small integer and is a plain sum, which is as good as a hash here: two of one key's own components
 * are only mistaken for each other if they began a particular number of milliseconds apart, and the
 * least of those is hours.
 */

import { EPOCH_MASK } from "./entry.ts";

const EPOCH_BITS = 8;

/** What names a component among those of one key since its last reset. */
export function ticketOf(generation: number, placeHigh: number, placeLow: number): number {
  return (Math.imul(generation, 0x5bd1_e995) + Math.imul(placeHigh, 0x27d4_eb2f) + placeLow) | 0;
}

/**
 * What is added for the key, and for the resets that its record has seen, as far as its state has room
 * to count them. What `resetsTie` says of the others is added to that.
 */
export function ticketTie(low: number, state: number): number {
  return (Math.imul(state & EPOCH_MASK, 0x9e37_79b1) + low) | 0;
}

/** What is added for so many resets of a key: 0 for as many as the state of its record can count. */
export function resetsTie(resets: number): number {
  return Math.imul(resets >>> EPOCH_BITS, 0x85eb_ca6b);
}
