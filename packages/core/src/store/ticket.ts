/**
 * A number by which a decision remembers the component that its hit was counted in.
 *
 * A refund finds the component again by computing the number of each that is still here. It is a
 * hash, so that it fits a small integer; a clash would give a hit back to the wrong one of a key's
 * own components, once in four thousand million.
 */
export function ticketOf(generation: number, placeHigh: number, placeLow: number): number {
  let hash = Math.imul(generation ^ 0x9e37_79b9, 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 15) ^ placeHigh, 0xc2b2_ae35);
  hash = Math.imul(hash ^ (hash >>> 13) ^ placeLow, 0x27d4_eb2f);
  return hash ^ (hash >>> 16);
}
