/** Writes components into sections of frames: `component-section.ts` describes their layout. */

import { type ComponentBatch, roughGap } from "./component-batch.ts";
import {
  type ComponentHead,
  PLACE_KINDS,
  type PlaceKind,
  RARE,
  REFUNDS,
  REFUSALS,
  SAME_KEY,
  SMALL_FOLLOWS,
} from "./component-section.ts";
import { type FrameWriter, SECTIONS } from "./frame.ts";

/** The most that an entry takes: flags, a gap of 8 + 8 bytes, and five varints. */
const ENTRY_BYTES_MAX = 1 + 16 + 5 * 8;
const OPENERS_MAX = 255;
const OPENER_BYTES = 8 + 8 + 8;
const HEAD_BYTES = 8 + 8 + 1 + 1 + 1 + 1 + 3 * 8 + 1;

/** Translates openers, which stores know by indexes, into replica ids. */
export interface OpenerNames {
  /**
   * The halves of an opener's id, and how long ago on the sender's clock a time on the opener's is.
   */
  describe(opener: number, openedAtMs: number): OpenerName;
}

export interface OpenerName {
  readonly low: number;
  readonly high: number;
  readonly agoMs: number;
}

/**
 * Writes as many entries of a sorted batch as fit, from `first` on; returns the first that did not.
 */
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
  writer.halves(head.ofLow, head.ofHigh, 8);
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
    (number >= SMALL_FOLLOWS ? SMALL_FOLLOWS : number) |
      (isSame ? SAME_KEY : 0) |
      (refunds > 0 ? REFUNDS : 0) |
      (refusals > 0 ? REFUSALS : 0) |
      (isRare ? RARE : 0),
  );
  if (!isSame) writeGap(writer, common.gapBytes, fromLow, fromHigh, low, high);
  if (number >= SMALL_FOLLOWS) writer.varint(number);
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
