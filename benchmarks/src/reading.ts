/**
 * The one figure that answers a question.
 */

export interface Reading {
  readonly value: number;
  /** What else is worth knowing about the figure. */
  readonly note: string;
}
