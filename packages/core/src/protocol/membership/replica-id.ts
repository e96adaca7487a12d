/**
 * Replica ids: 64 bits, drawn at random when a process starts, so a restarted process is a new
 * replica.
 *
 * Frames carry two halves; everywhere else an id is its 16 hexadecimal digits.
 */

import type { Halves } from "../../wire/frame.ts";

const HALF_DIGITS = 8;
const ADDRESS_DIGITS = 12;
/** How many other ids the same address has. */
const TURNS_MAX = 0xffff;

export function idOf(low: number, high: number): string {
  return digits(high) + digits(low);
}

export function halvesOf(id: string): Halves {
  return {
    low: Number.parseInt(id.slice(HALF_DIGITS), 16) | 0,
    high: Number.parseInt(id.slice(0, HALF_DIGITS), 16) | 0,
  };
}

/**
 * The name that transports know a replica by: it stays the same when the replica changes its id.
 */
export function addressOf(id: string): string {
  return id.slice(0, ADDRESS_DIGITS);
}

/**
 * Another id of the same address that is not in use; the membership is smaller than their number.
 */
export function successorOf(
  id: string,
  random: () => number,
  isTaken: (id: string) => boolean,
): string {
  const { low, high } = halvesOf(id);
  const after = (step: number): string =>
    idOf((low & ~TURNS_MAX) | ((low + step) & TURNS_MAX), high);
  let step = 1 + Math.floor(random() * TURNS_MAX);
  while (after(step) === id || isTaken(after(step))) step++;
  return after(step);
}

/** How close two ids are. Ids are random, so the order by closeness is random too. */
export function closeness(left: string, right: string): number {
  const one = halvesOf(left);
  const other = halvesOf(right);
  return ((one.low ^ other.low) >>> 0) * 2 ** 20 + ((one.high ^ other.high) >>> 12);
}

function digits(half: number): string {
  return (half >>> 0).toString(16).padStart(HALF_DIGITS, "0");
}
