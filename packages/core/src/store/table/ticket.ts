/**
 * A number with which a decision remembers the component that counted its hit.
 *
 * A refund finds the component by computing the ticket of each one that still exists. It fits a
 * small integer and is a plain sum, which serves as well as a hash here. Two own components of one
 * key are confused only if they began a particular number of milliseconds apart. The smallest such
 * distance is hours.
 */

import { EPOCH_MASK } from "./entry.ts";

const EPOCH_BITS = 8;
const TWO_32 = 2 ** 32;

/** Identifies a component among those of one key since its last reset. */
export function ticketOf(generation: number, periodHigh: number, periodLow: number): number {
  return (Math.imul(generation, 0x5bd1_e995) + Math.imul(periodHigh, 0x27d4_eb2f) + periodLow) | 0;
}

/** The same for a component whose period is a slot or a time. */
export function ticketAt(generation: number, period: number): number {
  return ticketOf(generation, Math.floor(period / TWO_32), period | 0);
}

/**
 * The part of a ticket for the key and its resets, as far as the record's state can count them.
 * `resetsTie` adds the rest.
 */
export function ticketTie(low: number, state: number): number {
  return (Math.imul(state & EPOCH_MASK, 0x9e37_79b1) + low) | 0;
}

/** The part of a ticket for the resets of a key; 0 while the state of its record can count them. */
export function resetsTie(resets: number): number {
  return Math.imul(resets >>> EPOCH_BITS, 0x85eb_ca6b);
}
