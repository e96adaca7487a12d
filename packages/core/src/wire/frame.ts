/**
 * Frames: the unit of everything that replicas send to one another.
 *
 *     | 't' 'g' | version | kind | flags | tag 4 | replica 8 | sent at | number |
 *     | sections … | seal 16 |
 *
 * A frame is complete in itself and never longer than `FRAME_BYTES_MAX`. `sent at` is the sender's
 * raw clock; all ages in the frame are relative to it. Each section has a type and a length, so a
 * reader skips the types that it does not know: that is how the format grows. In a cluster with a
 * secret, the last sixteen bytes are the seal.
 *
 * Numbers are little endian. A varint has seven bits in each byte, the lowest first, and a high bit
 * on all but the last.
 */

import { FRAME_BYTES_MAX } from "../transport/transport.ts";

/** Bytes of a seal. */
export const SEAL_BYTES = 16;
/** The most bytes that a varint takes: 53 bits. */
export const VARINT_BYTES_MAX = 8;

const VERSION = 0;
const MAGIC_0 = 0x74;
const MAGIC_1 = 0x67;
const KIND_AT = 3;
const FLAGS_AT = 4;
const SEALED = 1;
const UNREPEATED = 2;
const FLAGS_MAX: number = SEALED | UNREPEATED;
const SECTION_HEAD_BYTES = 3;
const TWO_32 = 2 ** 32;
const MANTISSA_MAX = 2 ** 53;

/** What a frame is for. */
export const FRAME_KINDS = ["counts", "heartbeat", "request", "reply", "hello", "leave"] as const;
export type FrameKind = (typeof FRAME_KINDS)[number];

/**
 * What a frame means to a receiver under overload: counts that later frames repeat, counts that no
 * frame repeats, a part of a sync reply, or a short frame.
 */
export type FrameLoad = "repeated" | "unrepeated" | "reply" | "short";

/** The load of a frame by its first bytes, which may not be those of a frame. */
export function loadOf(frame: Uint8Array): FrameLoad {
  const kind = FRAME_KINDS[frame[KIND_AT] ?? FRAME_KINDS.length];
  if (kind === "counts") return (frame[FLAGS_AT]! & UNREPEATED) === 0 ? "repeated" : "unrepeated";
  return kind === "reply" ? "reply" : "short";
}

/** The types of sections. Readers skip those that they do not know. */
export const SECTIONS = {
  components: 1,
  notes: 2,
  checkpoints: 3,
  heartbeat: 4,
  syncRequest: 5,
  replyPart: 6,
  replicaReport: 7,
  limiters: 8,
  former: 9,
  echo: 10,
} as const;

/** 64 bits as two signed halves: a replica's id, a fingerprint, a limiter's identity. */
export interface Halves {
  readonly low: number;
  readonly high: number;
}

/** What stands before the sections. */
export interface FrameHeader {
  readonly kind: FrameKind;
  readonly isSealed: boolean;
  /** Whether it has counts that no later frame and no sync reply repeats. */
  readonly isUnrepeated?: boolean;
  /**
   * 32 bits derived from namespace and secret, by which frames of other clusters are recognised.
   */
  readonly tag: number;
  /** The sender. */
  readonly replica: Halves;
  /** The sender's raw clock, whole milliseconds. */
  readonly sentAtMs: number;
  /** The number of the last frame of counts of the sender, this one included. */
  readonly number: number;
}

/** What most frames take; a replica in a fleet that counts little stays small. */
const FIRST_BYTES = 2_048;
/** So the surplus bytes of `halves` always have room behind what was asked for. */
const SURPLUS_BYTES = 8;

/**
 * Writes one frame after the other into the same buffer. Nothing here throws: the caller asks first
 * whether there is room. The buffer grows when it asks, up to the longest frame.
 */
export class FrameWriter {
  /** The longest frame that may be written now. */
  bytesMax: number = FRAME_BYTES_MAX;
  position = 0;
  #bytes = new Uint8Array(FIRST_BYTES + SURPLUS_BYTES);
  #view: DataView = new DataView(this.#bytes.buffer);
  #section = 0;
  readonly #sealBytes: number;
  #reservedBytes: number;

  /** @param sealed whether to leave room for a seal */
  constructor(sealed: boolean) {
    this.#sealBytes = sealed ? SEAL_BYTES : 0;
    this.#reservedBytes = this.#sealBytes;
  }

  /** Keeps so many bytes free for the end of the frame. */
  reserve(bytes: number): void {
    this.#reservedBytes = this.#sealBytes + bytes;
  }

  /** Whether so many bytes more fit. */
  hasRoom(bytes: number): boolean {
    const room = Math.min(this.bytesMax, FRAME_BYTES_MAX) - this.#reservedBytes;
    const end = this.position + bytes;
    if (end > room) return false;
    if (end + SURPLUS_BYTES > this.#bytes.length) this.#grow(end);
    return true;
  }

  #grow(end: number): void {
    const bytes = Math.min(Math.max(end, 4 * this.#bytes.length), FRAME_BYTES_MAX);
    const grown = new Uint8Array(bytes + SURPLUS_BYTES);
    grown.set(this.#bytes.subarray(0, this.position));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  /** The bytes written so far, not copied. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.position);
  }

  begin(header: FrameHeader): void {
    this.position = 0;
    this.u8(MAGIC_0);
    this.u8(MAGIC_1);
    this.u8(VERSION);
    this.u8(FRAME_KINDS.indexOf(header.kind));
    this.u8((header.isSealed ? SEALED : 0) | (header.isUnrepeated === true ? UNREPEATED : 0));
    this.u32(header.tag);
    this.u64(header.replica);
    this.varint(header.sentAtMs);
    this.varint(header.number);
  }

  /** Begins a section; writes nothing and returns false if `bytes` more would not fit. */
  beginSection(type: number, bytes: number): boolean {
    if (!this.hasRoom(SECTION_HEAD_BYTES + bytes)) return false;
    this.u8(type);
    this.#section = this.position;
    this.u16(0);
    return true;
  }

  endSection(): void {
    this.#view.setUint16(this.#section, this.position - this.#section - 2, true);
  }

  u8(value: number): void {
    this.#bytes[this.position++] = value;
  }

  u16(value: number): void {
    this.u8(value);
    this.u8(value >>> 8);
  }

  u32(value: number): void {
    this.u16(value);
    this.u16(value >>> 16);
  }

  u64({ low, high }: Halves): void {
    this.halves(low, high, 8);
  }

  /** A whole number from 0 to 2^53 - 1. */
  varint(value: number): void {
    let rest = value;
    while (rest >= TWO_32) {
      this.u8((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    let low = rest >>> 0;
    while (low > 127) {
      this.u8((low & 127) | 128);
      low >>>= 7;
    }
    this.u8(low);
  }

  /** A whole number of either sign, below 2^52: small ones of both signs are short. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** The lowest bytes of a 64-bit number given as two halves. */
  halves(low: number, high: number, bytes: number): void {
    // Surplus bytes are overwritten by what comes next.
    this.#view.setInt32(this.position, low, true);
    this.#view.setInt32(this.position + 4, high, true);
    this.position += bytes;
  }
}

/**
 * Reads frames, or any other bytes that arrive.
 *
 * It never throws and never reads beyond its end. A number that is absent or malformed reads as 0
 * and sets `isBroken`. So a decoder may read on to its next check, and must check before it uses
 * anything.
 */
export class FrameReader {
  /** Once `readHeader` has found no fault. */
  header!: FrameHeader;
  /** Whether a number was absent or malformed. */
  isBroken = false;
  /** The halves of the last 64-bit number, as signed 32-bit integers. */
  low = 0;
  high = 0;

  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #position = 0;
  /** Reading ends here: at the end of a section, or of all. */
  #end: number;
  #sectionsEnd = 0;
  #next = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#end = bytes.length;
  }

  /** Reads the header; returns the fault in it, if there is one. */
  readHeader(): "malformed" | "version" | undefined {
    const { length } = this.#bytes;
    if (length > FRAME_BYTES_MAX || this.u8() !== MAGIC_0 || this.u8() !== MAGIC_1)
      return "malformed";
    if (this.u8() !== VERSION) return "version";
    const kind = FRAME_KINDS[this.u8()];
    const flags = this.u8();
    const isSealed = (flags & SEALED) !== 0;
    const isUnrepeated = (flags & UNREPEATED) !== 0;
    const tag = this.u32();
    const replica = this.u64();
    const sentAtMs = this.varint();
    const number = this.varint();
    this.#next = this.#position;
    this.#sectionsEnd = length - (isSealed ? SEAL_BYTES : 0);
    const isHeader = !this.isBroken && flags <= FLAGS_MAX && this.#next <= this.#sectionsEnd;
    if (kind === undefined || !isHeader) return "malformed";
    this.header = { kind, isSealed, isUnrepeated, tag, replica, sentAtMs, number };
    return undefined;
  }

  /**
   * Goes to the next section, even if the one before was not read to its end, and returns its type.
   * Undefined at the end of the frame, or, with `isBroken`, if a section reaches beyond it.
   */
  nextSection(): number | undefined {
    this.#position = this.#next;
    this.#end = this.#sectionsEnd;
    if (this.left === 0) return undefined;
    const type = this.u8();
    const length = this.u16();
    if (this.isBroken || length > this.left) {
      this.isBroken = true;
      return undefined;
    }
    this.#end = this.#position + length;
    this.#next = this.#end;
    return type;
  }

  /** How many bytes are left of the section. */
  get left(): number {
    return this.#end - this.#position;
  }

  u8(): number {
    if (this.#position >= this.#end) {
      this.isBroken = true;
      return 0;
    }
    return this.#bytes[this.#position++]!;
  }

  u16(): number {
    const low = this.u8();
    return low | (this.u8() << 8);
  }

  u32(): number {
    const low = this.u16();
    return (low | (this.u16() << 16)) >>> 0;
  }

  u64(): Halves {
    this.halves(8);
    return { low: this.low, high: this.high };
  }

  /** A whole number from 0 to 2^53 - 1, written in the shortest way. */
  varint(): number {
    const first = this.u8();
    if (first < 128) return first;
    let value = first & 127;
    let factor = 128;
    for (;;) {
      const byte = this.u8();
      value += (byte & 127) * factor;
      if (byte < 128) {
        // Each number has one encoding: otherwise two frames could say the same and differ.
        if (byte === 0 || value >= MANTISSA_MAX) this.isBroken = true;
        return this.isBroken ? 0 : value;
      }
      factor *= 128;
      if (factor > MANTISSA_MAX) {
        this.isBroken = true;
        return 0;
      }
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** A 64-bit number of so many bytes, into `low` and `high`. */
  halves(bytes: number): void {
    const position = this.#position;
    if (position + 8 <= this.#end) {
      // The usual case: eight bytes are there, and the ones that do not belong to it are masked.
      const low = this.#view.getInt32(position, true);
      const high = this.#view.getInt32(position + 4, true);
      this.#position = position + bytes;
      this.low = bytes < 4 ? low & ((1 << (8 * bytes)) - 1) : low;
      if (bytes <= 4) this.high = 0;
      else this.high = bytes < 8 ? high & ((1 << (8 * bytes - 32)) - 1) : high;
      return;
    }
    let low = 0;
    let high = 0;
    for (let index = 0; index < bytes; index++) {
      if (index < 4) low |= this.u8() << (8 * index);
      else high |= this.u8() << (8 * index - 32);
    }
    this.low = low;
    this.high = high;
  }
}
