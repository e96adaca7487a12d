/**
 * Components of one policy of one limiter, as a section of a frame.
 *
 *     | limiter 8 | policy | place kind | gap bytes | age bytes | generation | reset | base | openers | entries … |
 *
 * An entry is a byte of flags, the gap to the fingerprint before it, where it was counted, and the
 * counts. The rest is there only if the flags say so: what most entries have in common stands once in
 * front of them.
 *
 *     flags   bits 0–3 a small number (15: a varint follows the gap)   16 same key: there is no gap
 *             32 refunds follow   64 refusals follow   128 generation and reset follow
 *     gap     `gap bytes` of the difference; all ones: eight bytes follow instead
 *
 * Of a window, the small number is its opener in the table of the section, and `age bytes` (or a
 * varint, if 0) say how long before the opener's `base` it was opened, on the opener's clock: so the
 * identity arrives exactly as it was given. Of a slot or a time, the small number is how far it lies
 * before the section's `base`. A gauge has none.
 */

import { blankComponent, type Component } from "../lattice/component.ts";
import type { ByteReader } from "./byte-reader.ts";
import { type ComponentBatch, roughGap } from "./component-batch.ts";
import { type FrameWriter, SECTIONS } from "./frame.ts";

/** What names the place of a component. */
export const PLACE_KINDS = ["window", "place", "none"] as const;
export type PlaceKind = (typeof PLACE_KINDS)[number];

const SMALL_MAX = 14;
const SMALL_FOLLOWS = 15;
const SAME_KEY = 16;
const REFUNDS = 32;
const REFUSALS = 64;
const RARE = 128;

/** The most that an entry takes: gap 1 + 8 + 8, flags, and five varints. */
const ENTRY_BYTES_MAX = 17 + 1 + 5 * 8;
const OPENERS_MAX = 255;
const OPENER_BYTES = 8 + 8 + 8;
const HEAD_BYTES = 8 + 1 + 1 + 1 + 1 + 3 * 8 + 1;
const TWO_32 = 2 ** 32;

/** What a section says of all its entries. */
export interface ComponentHead {
  /** The limiter's identity, as two halves of 64 bits. */
  limiterLow: number;
  limiterHigh: number;
  policy: number;
  places: PlaceKind;
}

/** Gives openers, which stores know by numbers, the ids that everybody knows them by. */
export interface OpenerNames {
  /** Fills the halves of an opener's id, and how long ago on the sender's clock a time on the opener's is. */
  describe(opener: number, openedAtMs: number): OpenerName;
}

export interface OpenerName {
  readonly low: number;
  readonly high: number;
  readonly agoMs: number;
}

/** Writes as many of a sorted batch as fit, from `first` on; returns the first that did not. */
export function writeComponents(
  writer: FrameWriter,
  head: Readonly<ComponentHead>,
  batch: ComponentBatch,
  first: number,
  names: OpenerNames,
): number {
  if (!writer.beginSection(SECTIONS.components, HEAD_BYTES + ENTRY_BYTES_MAX + OPENER_BYTES))
    return first;
  const common = commonOf(head.places, batch, first);
  const { order } = batch;
  writer.halves(head.limiterLow, head.limiterHigh, 8);
  writer.u8(head.policy);
  writer.u8(PLACE_KINDS.indexOf(head.places));
  writer.u8(common.gapBytes);
  writer.u8(common.ageBytes);
  writer.varint(common.generation);
  writer.varint(common.reset);
  writer.varint(common.base);
  writer.u8(common.openers.length);
  for (let index = 0; index < common.openers.length; index++) {
    const base = common.openerBases[index]!;
    const name = names.describe(common.openers[index]!, base);
    writer.halves(name.low, name.high, 8);
    writer.varint(base);
    writer.signed(name.agoMs);
  }

  let rank = first;
  for (; rank < common.end && writer.hasRoom(ENTRY_BYTES_MAX); rank++) {
    const at = order[rank]!;
    const before = rank > first ? order[rank - 1]! : -1;
    writeEntry(writer, head.places, common, batch, at, before);
  }
  writer.endSection();
  return rank;
}

/** What entries are written relative to. */
interface Common {
  /** The first entry that has to wait for another section. */
  end: number;
  gapBytes: number;
  ageBytes: number;
  generation: number;
  reset: number;
  base: number;
  readonly openers: number[];
  readonly openerBases: number[];
}

function commonOf(places: PlaceKind, batch: ComponentBatch, first: number): Common {
  const { order, size, generation, reset, place, opener } = batch;
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
  if (places === "none") return common;
  for (let rank = first; rank < size; rank++) {
    const at = order[rank]!;
    if (places === "place") {
      common.base = Math.max(common.base, place[at]!);
      continue;
    }
    let index = common.openers.indexOf(opener[at]!);
    if (index < 0) {
      if (common.openers.length === OPENERS_MAX) {
        common.end = rank;
        break;
      }
      index = common.openers.push(opener[at]!) - 1;
      common.openerBases.push(place[at]!);
    }
    common.openerBases[index] = Math.max(common.openerBases[index]!, place[at]!);
  }
  if (places === "window" && !agesFit(common, batch, first)) common.ageBytes = 0;
  return common;
}

function agesFit(common: Common, batch: ComponentBatch, first: number): boolean {
  for (let rank = first; rank < common.end; rank++) {
    const at = batch.order[rank]!;
    const base = common.openerBases[common.openers.indexOf(batch.opener[at]!)]!;
    if (base - batch.place[at]! > 0xffff) return false;
  }
  return true;
}

/** The fewest bytes that nearly all gaps fit into: the mean times as much as chance ever makes of it. */
function gapBytesFor(batch: ComponentBatch, first: number): number {
  const last = batch.order[batch.size - 1]!;
  const start = batch.order[first]!;
  const span = roughGap(batch.low[start]!, batch.high[start]!, batch.low[last]!, batch.high[last]!);
  const usual = (span / Math.max(1, batch.size - first)) * 16;
  let bytes = 1;
  while (bytes < 8 && 256 ** bytes <= usual) bytes++;
  return bytes;
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
  places: PlaceKind,
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
  const place = batch.place[at]!;
  let number = 0;
  if (places === "window") number = common.openers.indexOf(batch.opener[at]!);
  else if (places === "place") number = common.base - place;
  const refunds = batch.refunds[at]!;
  const refusals = batch.refusals[at]!;
  const generation = batch.generation[at]!;
  const reset = batch.reset[at]!;
  const isRare = generation !== common.generation || reset !== common.reset;
  writer.u8(
    (number > SMALL_MAX ? SMALL_FOLLOWS : number) |
      (isSame ? SAME_KEY : 0) |
      (refunds > 0 ? REFUNDS : 0) |
      (refusals > 0 ? REFUSALS : 0) |
      (isRare ? RARE : 0),
  );
  if (!isSame) writeGap(writer, common.gapBytes, fromLow, fromHigh, low, high);
  if (number > SMALL_MAX) writer.varint(number);
  if (places === "window") {
    const age = common.openerBases[number]! - place;
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

/** Takes what a section holds, as far as it is of interest. */
export interface ComponentSink {
  /** Whether the limiter's components are wanted; the rest of the section is skipped otherwise. */
  wants(head: Readonly<ComponentHead>): boolean;
  /** The number of an opener; `baseMs` on its clock is `agoMs` ago on the sender's. */
  opener(low: number, high: number, baseMs: number, agoMs: number): number;
  /** A component, but for who counted it; the object is reused. */
  component(component: Component): void;
}

/** Reads a section of components. Broken input leaves `reader.isBroken` set, perhaps after some were taken. */
export class ComponentReader {
  readonly #head: ComponentHead = { limiterLow: 0, limiterHigh: 0, policy: 0, places: "window" };
  readonly #component = blankComponent();
  readonly #openers: number[] = [];
  readonly #bases: number[] = [];
  #gapBytes = 0;
  #ageBytes = 0;
  #generation = 0;
  #reset = 0;
  #base = 0;

  /** @param replica the number of the sender, who counted all of them */
  read(reader: ByteReader, replica: number, sink: ComponentSink): void {
    if (!this.#readHead(reader) || !sink.wants(this.#head)) return;
    if (!this.#readOpeners(reader, sink)) return;
    const component = this.#component;
    component.low = 0;
    component.high = 0;
    component.policy = this.#head.policy;
    component.replica = replica;
    for (let isFirst = true; reader.left > 0; isFirst = false) {
      if (!this.#readEntry(reader, isFirst)) {
        reader.isBroken = true;
        return;
      }
      sink.component(component);
    }
  }

  #readHead(reader: ByteReader): boolean {
    const head = this.#head;
    reader.halves(8);
    head.limiterLow = reader.low;
    head.limiterHigh = reader.high;
    head.policy = reader.u8();
    const places = PLACE_KINDS[reader.u8()];
    this.#gapBytes = reader.u8();
    this.#ageBytes = reader.u8();
    this.#generation = reader.varint();
    this.#reset = reader.varint();
    this.#base = reader.varint();
    if (places !== undefined) head.places = places;
    const isGap = this.#gapBytes >= 1 && this.#gapBytes <= 8;
    const isAge = this.#ageBytes === 0 || this.#ageBytes === 2;
    if (places === undefined || !isGap || !isAge) reader.isBroken = true;
    return !reader.isBroken;
  }

  #readOpeners(reader: ByteReader, sink: ComponentSink): boolean {
    const count = reader.u8();
    this.#openers.length = 0;
    this.#bases.length = 0;
    for (let index = 0; index < count && !reader.isBroken; index++) {
      reader.halves(8);
      const { low, high } = reader;
      const base = reader.varint();
      const ago = reader.signed();
      if (reader.isBroken) break;
      this.#bases.push(base);
      this.#openers.push(sink.opener(low, high, base, ago));
    }
    return !reader.isBroken;
  }

  /** Whether a whole entry was read that could be one. */
  #readEntry(reader: ByteReader, isFirst: boolean): boolean {
    const component = this.#component;
    const { places } = this.#head;
    const flags = reader.u8();
    if ((flags & SAME_KEY) === 0) this.#readGap(reader);
    else if (isFirst) return false;
    let number = flags & 15;
    if (number === SMALL_FOLLOWS) number = reader.varint();
    component.opener = component.replica;
    component.place = 0;
    if (places === "window") {
      if (number >= this.#openers.length) return false;
      component.opener = this.#openers[number]!;
      const age = this.#ageBytes === 2 ? reader.u16() : reader.varint();
      component.place = this.#bases[number]! - age;
    } else if (places === "place") {
      component.place = this.#base - number;
    }
    component.hits = reader.varint();
    component.refunds = (flags & REFUNDS) === 0 ? 0 : reader.varint();
    component.refusals = (flags & REFUSALS) === 0 ? 0 : reader.varint();
    const isRare = (flags & RARE) !== 0;
    component.generation = isRare ? reader.varint() : this.#generation;
    component.reset = isRare ? reader.varint() : this.#reset;
    return !reader.isBroken && component.place >= 0 && component.refunds <= component.hits;
  }

  /** Adds the gap to the fingerprint; one that leads back around to small ones is not believed. */
  #readGap(reader: ByteReader): void {
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
