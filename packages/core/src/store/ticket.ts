/**
 * A number by which a decision remembers the component that its hit was counted in.
 *
 * A refund finds the component again by computing the number of each that is still here. It is a
 * hash, so that it fits a small integer; a clash would give a hit back to the wrong one of a key's
 * own components, once in four thousand million.
 */
export function ticketOf(generation: number, placeHigh: number, placeLow: number): number {
  return (Math.imul(generation, 0x5bd1_e995) + Math.imul(placeHigh, 0x27d4_eb2f) + placeLow) | 0;
}
