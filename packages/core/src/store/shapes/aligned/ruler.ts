/**
 * Divides the cluster's time into aligned windows.
 *
 * The result stays in three fields, because every request asks for it. The windows of a ruler tile
 * time: each starts where the one before ends.
 */

import type { Calendar } from "../../../time/calendar.ts";

export interface Ruler {
  /** Measures the window of `clusterNow` for the key with this low half of the fingerprint. */
  at(clusterNow: number, low: number): void;
  /** The window's number, the same on every replica. */
  readonly slot: number;
  /** The number of the window after it. */
  readonly nextSlot: number;
  /** When the window ends, in the cluster's time. */
  readonly endsAt: number;
}

/** Windows of one length, shifted per key so that they do not all turn at the same instant. */
export class EvenRuler implements Ruler {
  slot = 0;
  nextSlot = 0;
  endsAt = 0;
  readonly #windowMs: number;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  at(clusterNow: number, low: number): void {
    const phase = (low >>> 0) % this.#windowMs;
    this.slot = Math.floor((clusterNow + phase) / this.#windowMs);
    this.nextSlot = this.slot + 1;
    this.endsAt = this.nextSlot * this.#windowMs - phase;
  }
}

/** The minutes, hours, days, weeks, months or years of a time zone. */
export class CalendarRuler implements Ruler {
  readonly #calendar: Calendar;

  constructor(calendar: Calendar) {
    this.#calendar = calendar;
  }

  at(clusterNow: number): void {
    this.#calendar.at(clusterNow);
  }

  get slot(): number {
    return this.#calendar.slot;
  }

  get nextSlot(): number {
    return this.#calendar.endsAtMs / 60_000;
  }

  get endsAt(): number {
    return this.#calendar.endsAtMs;
  }
}
