/**
 * Counts (components) of one policy of one limiter, as a section of a frame.
 *
 *     | limiter 8 | of 8 | policy | period encoding | gap bytes | age bytes |
 *     | generation | reset | base | openers | entries … |
 *
 * `of` is the replica that counted: 0 for the sender, otherwise a dead replica.
 *
 * An entry is a byte of flags, the gap to the fingerprint before it, its period, and the counts.
 * The rest follows only if the flags say so: values that most entries share are written once,
 * before the entries.
 *
 *     flags   bits 0–3 a small number (15: a varint follows the gap)   16 same key: there is no gap
 *             32 refunds follow   64 refusals follow   128 generation and reset follow
 *     gap     `gap bytes` of the difference; all ones: eight bytes follow instead
 *
 * For a window, the small number is its opener in the table of the section. `age bytes` (or a
 * varint, if 0) say how long before the opener's `base` it was opened, on the opener's clock. So
 * the identity arrives exactly as the opener wrote it. For a slot or a time, the small number is
 * how far it lies before the section's `base`. A gauge has none.
 */

import { blankComponent, type Component } from "../crdt/component.ts";
import type { ComponentBatch } from "./component-batch.ts";
import { type FrameReader, type FrameWriter, type Halves, SECTIONS } from "./frame.ts";

const TWO_32 = 2 ** 32;
const TIME_MAX = 2 ** 52;

/** What kind of period a component belongs to. */
export const PERIOD_ENCODINGS = ["window", "period", "none"] as const;
export type PeriodEncoding = (typeof PERIOD_ENCODINGS)[number];

/** A small number that does not fit its four bits. */
const SMALL_FOLLOWS = 15;
const SAME_KEY = 16;
const REFUNDS = 32;
const REFUSALS = 64;
const RARE = 128;

/** What a section says about all its entries. */
export interface ComponentHead {
  /** The limiter's identity. */
  readonly limiter: Halves;
  /** The replica that counted, if it is not the sender; otherwise 0. */
  readonly of: Halves;
  readonly policy: number;
  readonly encoding: PeriodEncoding;
}

/** The most that an entry takes: flags, a gap of 8 + 8 bytes, and five varints. */
const ENTRY_BYTES_MAX = 1 + 16 + 5 * 8;
const OPENERS_MAX = 255;
const OPENER_BYTES = 8 + 8 + 8;
const HEAD_BYTES = 8 + 8 + 1 + 1 + 1 + 1 + 3 * 8 + 1;

/** The id of an opener, and how long ago on the sender's clock a time on the opener's is. */
export interface OpenerName extends Halves {
  readonly agoMs: number;
}

/** Translates an opener, which stores know by an index. */
export type NameOpener = (opener: number, openedAtMs: number) => OpenerName;

/**
 * Writes as many entries of a sorted batch as fit, from `first` on; returns the first that did not.
 */
export function writeComponents(
  writer: FrameWriter,
  head: ComponentHead,
  batch: ComponentBatch,
  first: number,
  nameOpener: NameOpener,
): number {
  if (!writer.beginSection(SECTIONS.components, HEAD_BYTES + ENTRY_BYTES_MAX + OPENER_BYTES))
    return first;
  const common = commonOf(writer, head.encoding, batch, first);
  const { order } = batch;
  writer.u64(head.limiter);
  writer.u64(head.of);
  writer.u8(head.policy);
  writer.u8(PERIOD_ENCODINGS.indexOf(head.encoding));
  writer.u8(common.gapBytes);
  writer.u8(common.ageBytes);
  writer.varint(common.generation);
  writer.varint(common.reset);
  writer.varint(common.base);
  writer.u8(common.openers.length);
  for (const [index, opener] of common.openers.entries()) {
    const base = common.openerBases[index]!;
    const name = nameOpener(opener, base);
    writer.u64(name);
    writer.varint(base);
    writer.signed(name.agoMs);
  }

  let rank = first;
  for (; rank < common.end && writer.hasRoom(ENTRY_BYTES_MAX); rank++) {
    const at = order[rank]!;
    const before = rank > first ? order[rank - 1]! : -1;
    writeEntry(writer, head.encoding, common, batch, at, before);
  }
  writer.endSection();
  return rank;
}

/** The values that entries are written relative to. */
interface Common {
  /** The first entry that does not fit this section. */
  end: number;
  gapBytes: number;
  ageBytes: number;
  generation: number;
  reset: number;
  base: number;
  readonly openers: number[];
  readonly openerBases: number[];
}

function commonOf(
  writer: FrameWriter,
  encoding: PeriodEncoding,
  batch: ComponentBatch,
  first: number,
): Common {
  const { order, size, generation, reset, period, opener } = batch;
  const start = order[first]!;
  const common: Common = {
    end: size,
    gapBytes: gapBytesFor(batch, first),
    ageBytes: 2,
    generation: generation[start]!,
    reset: reset[start]!,
    base: 0,
    openers: [],
    openerBases: [],
  };
  if (encoding === "none") return common;
  const earliest: number[] = [];
  for (let rank = first; rank < size; rank++) {
    const at = order[rank]!;
    if (encoding === "period") {
      common.base = Math.max(common.base, period[at]!);
      continue;
    }
    let index = common.openers.indexOf(opener[at]!);
    if (index < 0) {
      const openers = common.openers.length + 1;
      const bytes = HEAD_BYTES + openers * OPENER_BYTES + ENTRY_BYTES_MAX;
      // The table of openers must leave room for an entry, or the section would make no progress.
      if (openers > OPENERS_MAX || !writer.hasRoom(bytes)) {
        common.end = rank;
        break;
      }
      index = common.openers.push(opener[at]!) - 1;
      common.openerBases.push(period[at]!);
      earliest.push(period[at]!);
    }
    common.openerBases[index] = Math.max(common.openerBases[index]!, period[at]!);
    earliest[index] = Math.min(earliest[index]!, period[at]!);
  }
  const isLong = common.openerBases.some((base, index) => base - earliest[index]! > 0xffff);
  if (isLong) common.ageBytes = 0;
  return common;
}

/**
 * The fewest bytes that hold nearly all gaps: sixteen times the mean gap, which chance rarely
 * exceeds.
 */
function gapBytesFor(batch: ComponentBatch, first: number): number {
  const last = batch.order[batch.size - 1]!;
  const start = batch.order[first]!;
  const span = roughGap(batch.low[start]!, batch.high[start]!, batch.low[last]!, batch.high[last]!);
  const usual = (span / Math.max(1, batch.size - first)) * 16;
  let bytes = 1;
  while (bytes < 8 && 256 ** bytes <= usual) bytes++;
  return bytes;
}

/** The difference of two fingerprints in order, as a number that may have lost its lowest bits. */
function roughGap(fromLow: number, fromHigh: number, low: number, high: number): number {
  return ((high >>> 0) - (fromHigh >>> 0)) * TWO_32 + ((low >>> 0) - (fromLow >>> 0));
}

function writeGap(
  writer: FrameWriter,
  gapBytes: number,
  fromLow: number,
  fromHigh: number,
  low: number,
  high: number,
): void {
  const gapLow = (low - fromLow) | 0;
  const borrow = low >>> 0 < fromLow >>> 0 ? 1 : 0;
  const gapHigh = (high - fromHigh - borrow) | 0;
  if (gapBytes === 8 || roughGap(0, 0, gapLow, gapHigh) < 256 ** gapBytes - 1) {
    writer.halves(gapLow, gapHigh, gapBytes);
    return;
  }
  writer.halves(-1, -1, gapBytes);
  writer.halves(gapLow, gapHigh, 8);
}

function writeEntry(
  writer: FrameWriter,
  encoding: PeriodEncoding,
  common: Common,
  batch: ComponentBatch,
  at: number,
  before: number,
): void {
  const low = batch.low[at]!;
  const high = batch.high[at]!;
  const fromLow = before < 0 ? 0 : batch.low[before]!;
  const fromHigh = before < 0 ? 0 : batch.high[before]!;
  const isSame = before >= 0 && low === fromLow && high === fromHigh;
  const period = batch.period[at]!;
  let number = 0;
  if (encoding === "window") number = common.openers.indexOf(batch.opener[at]!);
  else if (encoding === "period") number = common.base - period;
  const refunds = batch.refunds[at]!;
  const refusals = batch.refusals[at]!;
  const generation = batch.generation[at]!;
  const reset = batch.reset[at]!;
  const isRare = generation !== common.generation || reset !== common.reset;
  writer.u8(
    (number >= SMALL_FOLLOWS ? SMALL_FOLLOWS : number) |
      (isSame ? SAME_KEY : 0) |
      (refunds > 0 ? REFUNDS : 0) |
      (refusals > 0 ? REFUSALS : 0) |
      (isRare ? RARE : 0),
  );
  if (!isSame) writeGap(writer, common.gapBytes, fromLow, fromHigh, low, high);
  if (number >= SMALL_FOLLOWS) writer.varint(number);
  if (encoding === "window") {
    const age = common.openerBases[number]! - period;
    if (common.ageBytes === 2) writer.u16(age);
    else writer.varint(age);
  }
  writer.varint(batch.hits[at]!);
  if (refunds > 0) writer.varint(refunds);
  if (refusals > 0) writer.varint(refusals);
  if (!isRare) return;
  writer.varint(generation);
  writer.varint(reset);
}

/** Takes the entries of a section. */
export interface ComponentSink {
  /** The index of the replica that counted; undefined to skip the section. */
  counter(head: ComponentHead): number | undefined;
  /** The index of an opener; `baseMs` on its clock is `agoMs` ago on the sender's. */
  opener(low: number, high: number, baseMs: number, agoMs: number): number;
  /** A component; the object is reused. */
  component(component: Component): void;
}

/**
 * Reads a section of components. Broken input sets `reader.isBroken`, perhaps after some were
 * taken.
 */
export class ComponentReader {
  #encoding: PeriodEncoding = "none";
  readonly #component = blankComponent();
  readonly #openers: number[] = [];
  readonly #bases: number[] = [];
  #gapBytes = 0;
  #ageBytes = 0;
  #generation = 0;
  #reset = 0;
  #base = 0;

  /** Reads in slices of so many entries. */
  *read(
    reader: FrameReader,
    sink: ComponentSink,
    entriesAtOnce: number,
  ): Generator<undefined, void> {
    const head = this.#readHead(reader);
    if (reader.isBroken) return;
    const replica = sink.counter(head);
    if (replica === undefined) return;
    this.#readOpeners(reader, sink);
    const component = this.#component;
    component.low = 0;
    component.high = 0;
    component.policy = head.policy;
    component.replica = replica;
    for (let read = 0; reader.left > 0 && !reader.isBroken; read++) {
      if (read > 0 && read % entriesAtOnce === 0) yield;
      if (this.#readEntry(reader, read === 0)) sink.component(component);
      else reader.isBroken = true;
    }
  }

  #readHead(reader: FrameReader): ComponentHead {
    const limiter = reader.u64();
    const of = reader.u64();
    const policy = reader.u8();
    const encoding = PERIOD_ENCODINGS[reader.u8()];
    this.#encoding = encoding ?? "none";
    this.#gapBytes = reader.u8();
    this.#ageBytes = reader.u8();
    this.#generation = reader.varint();
    this.#reset = reader.varint();
    this.#base = reader.varint();
    const isGap = this.#gapBytes >= 1 && this.#gapBytes <= 8;
    const isAge = this.#ageBytes === 0 || this.#ageBytes === 2;
    if (encoding === undefined || !isGap || !isAge) reader.isBroken = true;
    return { limiter, of, policy, encoding: this.#encoding };
  }

  #readOpeners(reader: FrameReader, sink: ComponentSink): void {
    const count = reader.u8();
    this.#openers.length = 0;
    this.#bases.length = 0;
    for (let index = 0; index < count; index++) {
      const { low, high } = reader.u64();
      const base = reader.varint();
      const ago = reader.signed();
      if (reader.isBroken) return;
      this.#bases.push(base);
      this.#openers.push(sink.opener(low, high, base, ago));
    }
  }

  /** Reads an entry; returns whether it is complete and possible. */
  #readEntry(reader: FrameReader, isFirst: boolean): boolean {
    const component = this.#component;
    const encoding = this.#encoding;
    const flags = reader.u8();
    if ((flags & SAME_KEY) === 0) this.#readGap(reader);
    else if (isFirst) return false;
    let number = flags & 15;
    if (number === SMALL_FOLLOWS) number = reader.varint();
    component.opener = component.replica;
    component.period = 0;
    if (encoding === "window") {
      if (number >= this.#openers.length) return false;
      component.opener = this.#openers[number]!;
      const age = this.#ageBytes === 2 ? reader.u16() : reader.varint();
      component.period = this.#bases[number]! - age;
    } else if (encoding === "period") {
      component.period = this.#base - number;
    }
    component.hits = reader.varint();
    component.refunds = (flags & REFUNDS) === 0 ? 0 : reader.varint();
    component.refusals = (flags & REFUSALS) === 0 ? 0 : reader.varint();
    const isRare = (flags & RARE) !== 0;
    component.generation = isRare ? reader.varint() : this.#generation;
    component.reset = isRare ? reader.varint() : this.#reset;
    const isTime = component.period >= 0 && component.period < TIME_MAX;
    return !reader.isBroken && isTime && component.refunds <= component.hits;
  }

  /** Adds the gap to the fingerprint; a gap that overflows is refused. */
  #readGap(reader: FrameReader): void {
    const component = this.#component;
    const bytes = this.#gapBytes;
    reader.halves(bytes);
    if (bytes < 8 && isAllOnes(reader.low, reader.high, bytes)) reader.halves(8);
    const low = (component.low + reader.low) | 0;
    const carry = low >>> 0 < component.low >>> 0 ? 1 : 0;
    const high = (component.high >>> 0) + (reader.high >>> 0) + carry;
    if (high >= TWO_32) reader.isBroken = true;
    component.low = low;
    component.high = high | 0;
  }
}

function isAllOnes(low: number, high: number, bytes: number): boolean {
  return bytes <= 4
    ? low >>> 0 === 256 ** bytes - 1
    : low === -1 && high >>> 0 === 256 ** (bytes - 4) - 1;
}
