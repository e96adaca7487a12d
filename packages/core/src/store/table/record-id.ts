/**
 * The number of a key's record, as the store hands it out.
 *
 * The number of a freed record goes to another key. So code outside the store uses a number within the call
 * that found it, and keeps it nowhere: the type fits no number, and `tests/tidy` refuses fields of it.
 */

declare const brand: unique symbol;

export type RecordId = { readonly [brand]: true };

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
