/**
 * The number of a key's record, as code outside the store sees it.
 *
 * The number of a freed record is reused for another key. So code outside the store uses a number
 * only within the call that found it, and stores it nowhere. The compiler does not accept the type
 * as a number, and `tests/tidy` refuses fields of this type.
 */

declare const brand: unique symbol;

export type RecordId = { readonly [brand]: true };

/** Numbers fit 24 bits, which leaves the key index eight bits of a word for a tag. */
export const RECORDS_MAX: number = 2 ** 24 - 1;

/** Stands for a key without a record. */
export const NO_RECORD = 0 as unknown as RecordId;

/** For the store alone. */
export function recordId(number: number): RecordId {
  return number as unknown as RecordId;
}

/** For the store alone. */
export function numberOf(id: RecordId): number {
  return id as unknown as number;
}
