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
 */

import { FRAME_BYTES_MAX } from "../transport/transport.ts";
import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";

/** Bytes of a seal. */
export const SEAL_BYTES = 16;
export const FRAME_VERSION = 0;

const MAGIC_0 = 0x74;
const MAGIC_1 = 0x67;
const KIND_AT = 3;
const FLAGS_AT = 4;
const SEALED = 1;
const UNREPEATED = 2;
const FLAGS_MAX: number = SEALED | UNREPEATED;
const SECTION_HEAD_BYTES = 3;

/** What a frame is for. */
export const FRAME_KINDS = ["counts", "heartbeat", "request", "page", "hello", "leave"] as const;
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
  return kind === "page" ? "reply" : "short";
}

/** The types of sections. Readers skip those that they do not know. */
export const SECTIONS = {
  components: 1,
  notes: 2,
  checkpoints: 3,
  heartbeat: 4,
  asking: 5,
  page: 6,
  heard: 7,
  limiters: 8,
  former: 9,
} as const;

/** What stands before the sections. */
export interface FrameHeader {
  kind: FrameKind;
  isSealed: boolean;
  /** Whether it has counts that no later frame and no sync reply repeats. */
  isUnrepeated?: boolean;
  /**
   * 32 bits derived from namespace and secret, by which frames of other clusters are recognised.
   */
  tag: number;
  /** The sender, as two halves of 64 bits. */
  replicaLow: number;
  replicaHigh: number;
  /** The sender's raw clock, whole milliseconds. */
  sentAtMs: number;
  /** The number of the last frame of counts of the sender, this one included. */
  number: number;
}

/** Why bytes are not a frame. */
export type FrameFault = "length" | "magic" | "version" | "kind" | "header";

/** Writes one frame after the other into the same buffer. */
export class FrameWriter extends ByteWriter {
  /** The longest frame that may be written now. */
  bytesMax: number = FRAME_BYTES_MAX;
  #section = 0;
  readonly #sealBytes: number;
  #reservedBytes: number;

  /** @param sealed whether to leave room for a seal */
  constructor(sealed: boolean) {
    super(FRAME_BYTES_MAX);
    this.#sealBytes = sealed ? SEAL_BYTES : 0;
    this.#reservedBytes = this.#sealBytes;
  }

  /** Keeps so many bytes free for the end of the frame. */
  reserve(bytes: number): void {
    this.#reservedBytes = this.#sealBytes + bytes;
  }

  override hasRoom(bytes: number): boolean {
    const room = Math.min(this.bytesMax, FRAME_BYTES_MAX) - this.#reservedBytes;
    return this.position + bytes <= room;
  }

  begin(header: Readonly<FrameHeader>): void {
    this.position = 0;
    this.u8(MAGIC_0);
    this.u8(MAGIC_1);
    this.u8(FRAME_VERSION);
    this.u8(FRAME_KINDS.indexOf(header.kind));
    this.u8((header.isSealed ? SEALED : 0) | (header.isUnrepeated === true ? UNREPEATED : 0));
    this.u32(header.tag);
    this.halves(header.replicaLow, header.replicaHigh, 8);
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
    this.patchU16(this.#section, this.position - this.#section - 2);
  }
}

/** A position in a frame, and the frame's header. */
export class FrameReader extends ByteReader {
  readonly header: FrameHeader = {
    kind: "counts",
    isSealed: false,
    isUnrepeated: false,
    tag: 0,
    replicaLow: 0,
    replicaHigh: 0,
    sentAtMs: 0,
    number: 0,
  };
  #sectionsEnd = 0;
  #next = 0;

  /** Reads the header; returns the fault in it, if there is one. */
  readHeader(): FrameFault | undefined {
    const { bytes, header } = this;
    if (bytes.length > FRAME_BYTES_MAX || bytes.length < 5) return "length";
    if (this.u8() !== MAGIC_0 || this.u8() !== MAGIC_1) return "magic";
    if (this.u8() !== FRAME_VERSION) return "version";
    const kind = FRAME_KINDS[this.u8()];
    if (kind === undefined) return "kind";
    const flags = this.u8();
    header.kind = kind;
    header.isSealed = (flags & SEALED) !== 0;
    header.isUnrepeated = (flags & UNREPEATED) !== 0;
    header.tag = this.u32();
    this.halves(8);
    header.replicaLow = this.low;
    header.replicaHigh = this.high;
    header.sentAtMs = this.varint();
    header.number = this.varint();
    this.#sectionsEnd = bytes.length - (header.isSealed ? SEAL_BYTES : 0);
    if (flags > FLAGS_MAX || this.position > this.#sectionsEnd) this.isBroken = true;
    this.#next = this.position;
    return this.isBroken ? "header" : undefined;
  }

  /**
   * Goes to the next section, even if the one before was not read to its end, and returns its type.
   * Undefined at the end of the frame, or, with `isBroken`, if a section reaches beyond it.
   */
  nextSection(): number | undefined {
    this.position = this.#next;
    this.end = this.#sectionsEnd;
    if (this.left === 0) return undefined;
    const type = this.u8();
    const length = this.u16();
    if (this.isBroken || length > this.left) {
      this.isBroken = true;
      return undefined;
    }
    this.end = this.position + length;
    this.#next = this.end;
    return type;
  }
}
