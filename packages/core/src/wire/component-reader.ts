/** Reads components from sections of frames: `component-section.ts` describes their layout. */

import { blankComponent, type Component } from "../crdt/component.ts";
import type { ByteReader } from "./byte-reader.ts";
import {
  type ComponentHead,
  PLACE_KINDS,
  RARE,
  REFUNDS,
  REFUSALS,
  SAME_KEY,
  SMALL_FOLLOWS,
} from "./component-section.ts";

const TWO_32 = 2 ** 32;
const TIME_MAX = 2 ** 52;

/** Takes the entries of a section. */
export interface ComponentSink {
  /** The index of the replica that counted; undefined to skip the section. */
  counter(head: Readonly<ComponentHead>): number | undefined;
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
  readonly #head: ComponentHead = {
    limiterLow: 0,
    limiterHigh: 0,
    ofLow: 0,
    ofHigh: 0,
    policy: 0,
    places: "window",
  };
  readonly #component = blankComponent();
  readonly #openers: number[] = [];
  readonly #bases: number[] = [];
  #gapBytes = 0;
  #ageBytes = 0;
  #generation = 0;
  #reset = 0;
  #base = 0;
  #isFirst = true;

  read(reader: ByteReader, sink: ComponentSink): void {
    if (this.begin(reader, sink)) this.readSome(reader, sink, Number.POSITIVE_INFINITY);
  }

  /** Reads the head of a section; returns whether it has entries that the sink wants. */
  begin(reader: ByteReader, sink: ComponentSink): boolean {
    if (!this.#readHead(reader)) return false;
    const replica = sink.counter(this.#head);
    if (replica === undefined) return false;
    if (!this.#readOpeners(reader, sink)) return false;
    const component = this.#component;
    component.low = 0;
    component.high = 0;
    component.policy = this.#head.policy;
    component.replica = replica;
    this.#isFirst = true;
    return reader.left > 0;
  }

  /** Reads so many entries of the section; returns whether there are more. */
  readSome(reader: ByteReader, sink: ComponentSink, count: number): boolean {
    for (let read = 0; read < count && reader.left > 0; read++) {
      if (!this.#readEntry(reader, this.#isFirst)) {
        reader.isBroken = true;
        return false;
      }
      this.#isFirst = false;
      sink.component(this.#component);
    }
    return reader.left > 0;
  }

  #readHead(reader: ByteReader): boolean {
    const head = this.#head;
    reader.halves(8);
    head.limiterLow = reader.low;
    head.limiterHigh = reader.high;
    reader.halves(8);
    head.ofLow = reader.low;
    head.ofHigh = reader.high;
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

  /** Reads an entry; returns whether it is complete and possible. */
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
    const isTime = component.place >= 0 && component.place < TIME_MAX;
    return !reader.isBroken && isTime && component.refunds <= component.hits;
  }

  /** Adds the gap to the fingerprint; a gap that overflows is refused. */
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
