/**
 * The keys of some requests, in order.
 */

export interface Keys {
  /** How many requests there are. */
  readonly length: number;
  /** The key of request `position`. */
  key(position: number): string;
}

/** The same string for every request: making it then costs no subject anything. */
export function sameKey(key: string, length: number): Keys {
  return { length, key: () => key };
}
