/**
 * Marks and resets of keys; the reference keeps them forever.
 *
 * Marks of one kind are ordered by reset, then time, then limit. A mark is void if a larger reset
 * is known. It is also void for checks with a limit above the one that it was written under.
 */

export interface ReferenceMark {
  readonly reset: number;
  readonly untilMs: number;
  readonly limit: number;
}

/** What is known of one key beside its counts. */
export interface ReferenceNote {
  readonly key: string;
  reset: number;
  markReset: number;
  readonly marks: Map<number, ReferenceMark>;
}

export class ReferenceNotes {
  readonly #notes = new Map<string, ReferenceNote>();
  /** The reset of all keys. */
  resetAll = 0;

  of(key: string): ReferenceNote {
    const note = this.#notes.get(key) ?? { key, reset: 0, markReset: 0, marks: new Map() };
    this.#notes.set(key, note);
    return note;
  }

  all(): ReferenceNote[] {
    return [...this.#notes.values()];
  }

  /** Components under a smaller reset are void. */
  knownReset(key: string): number {
    return Math.max(this.resetAll, this.of(key).reset);
  }

  /** Marks under a smaller reset are void. */
  knownMarkReset(key: string): number {
    return Math.max(this.knownReset(key), this.of(key).markReset);
  }

  joinMark(key: string, kind: number, heard: ReferenceMark): void {
    const { marks } = this.of(key);
    const known = marks.get(kind);
    if (known === undefined || isLater(heard, known)) marks.set(kind, heard);
  }

  /** How long marks refuse the key. */
  waitMs(key: string, limit: number, clusterNow: number): number {
    const known = this.knownMarkReset(key);
    const waits = [...this.of(key).marks.values()]
      .filter((mark) => mark.reset >= known && limit <= mark.limit)
      .map(({ untilMs }) => untilMs - clusterNow);
    return Math.max(0, ...waits);
  }
}

function isLater(heard: ReferenceMark, known: ReferenceMark): boolean {
  const order = [
    [heard.reset, known.reset],
    [heard.untilMs, known.untilMs],
    [heard.limit, known.limit],
  ] as const;
  const difference = order.find(([left, right]) => left !== right);
  return difference !== undefined && difference[0] > difference[1];
}
