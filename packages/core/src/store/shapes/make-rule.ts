/**
 * Chooses the shape and the rule for each policy.
 *
 * The widths of slots are chosen here. In one process a bucket's slots are a millisecond wide,
 * which makes it exact. With other replicas, slots are kept apart until all replicas have received
 * them, so they are wider. A slot is about a sixteenth of the time that a full bucket takes to
 * empty. The width is a power of two, so that a small change of capacity does not start another
 * budget.
 */

import type { FixedWindowPolicy } from "../../policies/fixed-window.ts";
import type { View } from "../../policies/judge.ts";
import type { Policy } from "../../policies/policy.ts";
import { Calendar, type CalendarOptions } from "../../time/calendar.ts";
import type { Replicas } from "../replicas/replicas.ts";
import type { Shape } from "../table/entry.ts";
import type { Section } from "../table/key-records.ts";
import type { RecordId } from "../table/record-id.ts";
import type { RecordPool } from "../table/record-pool.ts";
import { AlignedShape, alignedShapeWords, EvenRuler, type Ruler } from "./aligned/aligned-shape.ts";
import { GAUGE_SHAPE_WORDS, GaugeShape } from "./gauge/gauge-shape.ts";
import { GridShape } from "./grid/grid-shape.ts";
import { type SlotGridOptions, slotGridWords } from "./grid/slot-grid.ts";
import { LOG_SHAPE_WORDS, LogShape } from "./log/log-shape.ts";
import { windowWords } from "./window/window-record.ts";
import { WindowShape } from "./window/window-shape.ts";

const SPREAD_MS_MAX = 100;
const SPREAD_PART = 8;
/**
 * How long slots are kept apart before their level is published: four heartbeat intervals of a
 * second.
 */
const RETENTION_MS = 4_000;
/** How long a level may be on its way. */
const LEVEL_FLIGHT_MS = 500;
const BUCKET_SLOT_PART = 16;
const BUCKET_SLOT_MS_MIN = 64;
const BUCKET_SLOT_MS_MAX = 1_024;

/**
 * A policy that works on a store: the view for decisions, and the counting.
 *
 * Each shape is the rule of its policy. `read` reads one key at one instant, and every other method
 * refers to that read. What it reads stays in fields, so a check allocates no objects.
 *
 * @typeParam Id how the caller knows a record: within the store by its number
 */
export interface Rule<Id = RecordId> extends View {
  /** Whether a hit counted now starts something that other replicas must receive at once. */
  readonly opens: boolean;
  /** Refused hits in the window that was read, for policies that count them. */
  readonly refusals: number;
  /** For how long the window that was read has been open; undefined where none fills anew. */
  readonly openForMs?: number | undefined;

  /** Reads the key with this record (0 for none) and low half of its fingerprint. */
  read(id: Id, now: number, clusterNow: number, low: number): void;
  /** Counts hits for the key that was read; its record may have been made since. */
  add(id: Id, cost: number): void;
  /** Counts one refused hit for the key that was read. */
  refuse(id: Id): void;
  /** Identifies the window, slot or time where hits added now are counted. */
  ticket(id: Id): number;
  /**
   * Refunds hits of the window, slot or time that a ticket identifies; returns how many, 0 when
   * that is over.
   *
   * @param isHeld whether nothing has emptied since they were counted
   */
  refund(
    id: Id,
    ticket: number,
    cost: number,
    now: number,
    clusterNow: number,
    isHeld: boolean,
  ): number;
  /** What this replica has counted itself of what was read, in hits; absent for levels and permits. */
  own?(id: Id): number;
  /** Permits alone: releases up to `cost` of those that this replica holds; returns how many. */
  releasePermits?(id: Id, cost: number): number;
}

/** A section of the store's records, and the rule of a policy on its shape. */
export interface RuleSection extends Section {
  /**
   * Everything that must agree for the counts of two replicas to mean the same. Limits need not.
   */
  readonly meaning: string;
  /**
   * The rule of the shape that `create` has made, or that a section of the same meaning has made
   * for an earlier limiter. Only one limiter at a time works on a store.
   */
  rule(shape: Shape): Rule;
}

/** @param shared whether other replicas count for the same keys */
export function makeRule(policy: Policy, shared: boolean): RuleSection {
  switch (policy.kind) {
    case "fixedWindow": {
      const countsRefusals = policy.ban !== null || policy.backoff !== null;
      const ruler = rulerOf(policy);
      if (ruler !== null) {
        const options = { ruler, countsRefusals };
        const cut = policy.calendar === null ? policy.windowMs : calendarWords(policy.calendar);
        return section(
          `aligned ${cut} ${countsRefusals}`,
          alignedShapeWords(options),
          (records, replicas, base) => new AlignedShape(records, replicas, base, options),
        );
      }
      const spreadMs = Math.min(Math.floor(policy.windowMs / SPREAD_PART), SPREAD_MS_MAX);
      const options = { windowMs: policy.windowMs, spreadMs, countsRefusals, shared };
      return section(
        `window ${policy.windowMs} ${countsRefusals}`,
        windowWords(options),
        (records, replicas, base) => new WindowShape(records, replicas, base, options),
      );
    }
    case "slidingWindow": {
      const slotMs = policy.windowMs / policy.slots;
      const options = { slotMs, slots: policy.slots + 1, published: 0, shared, leak: 0 };
      const meaning = `sliding ${policy.windowMs} ${policy.slots}`;
      return grid(meaning, options, 0);
    }
    case "tokenBucket":
    case "leakyBucket": {
      const slotMs = shared ? bucketSlotMs(policy.limit, policy.perSecond) : 1;
      const published = shared ? Math.ceil(LEVEL_FLIGHT_MS / slotMs) : 0;
      const slots = shared ? Math.ceil(RETENTION_MS / slotMs) + published + 1 : 1;
      // Thousandths of a hit in a slot: (rate / 1000 per ms) × slotMs × 1000.
      const options = { slotMs, slots, published, shared, leak: policy.perSecond * slotMs };
      const meaning = `bucket ${slotMs} ${bitsOf(policy.perSecond)}`;
      return grid(meaning, options, policy.kind === "leakyBucket" ? policy.maxWaitMs : 0);
    }
    case "slidingLog":
      return section(
        `log ${policy.windowMs}`,
        LOG_SHAPE_WORDS,
        (records, replicas, base) => new LogShape(records, replicas, base, policy.windowMs),
      );
    case "concurrency":
      return section(
        "gauge",
        GAUGE_SHAPE_WORDS,
        (records, replicas, base) => new GaugeShape(records, replicas, base, shared),
      );
  }
}

export function grid(meaning: string, options: SlotGridOptions, maxWaitMs: number): RuleSection {
  const made = section(
    meaning,
    slotGridWords(options),
    (records, replicas, base) => new GridShape(records, replicas, base, options),
  );
  return {
    ...made,
    rule(shape) {
      (shape as GridShape).maxWaitMs = maxWaitMs;
      return made.rule(shape);
    },
  };
}

function section(
  meaning: string,
  words: number,
  create: (records: RecordPool, replicas: Replicas, base: number) => Shape & Rule<number>,
): RuleSection {
  return { meaning, words, create, rule: (shape) => shape as unknown as Rule };
}

function rulerOf(policy: FixedWindowPolicy): Ruler | null {
  if (policy.calendar !== null) return new Calendar(policy.calendar);
  return policy.align ? new EvenRuler(policy.windowMs) : null;
}

/** How a calendar divides time, with the defaults filled in: omitted options mean the same. */
function calendarWords({ unit, timeZone, weekStartsOn }: CalendarOptions): string {
  // Zone names are the same in either case; aliases of a zone are not known here.
  const zone = (timeZone ?? "UTC").toLowerCase();
  return unit === "week" ? `week ${weekStartsOn ?? "monday"} ${zone}` : `${unit} ${zone}`;
}

/**
 * The largest power of two within a sixteenth of the time; compared, because logarithms are
 * rounded.
 */
function bucketSlotMs(capacity: number, perSecond: number): number {
  const part = ((capacity / perSecond) * 1_000) / BUCKET_SLOT_PART;
  let slotMs = BUCKET_SLOT_MS_MIN;
  while (slotMs < BUCKET_SLOT_MS_MAX && part >= 2 * slotMs) slotMs *= 2;
  return slotMs;
}

/** The 16 hexadecimal digits of a number's 64 bits: its decimal form differs between engines. */
function bitsOf(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.toString("hex");
}
