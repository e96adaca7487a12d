/**
 * Frames as the page on the wire format describes them, read without the code under test: what a
 * program in another language would do.
 */

import { createHmac } from "node:crypto";
import type { ClusterKeys } from "./plain-names.ts";

const KINDS = ["counts", "heartbeat", "request", "reply", "hello", "leave"];
const MARKS = ["block", "penalty", "drain"];
const MASK_64 = 2n ** 64n - 1n;

type Said = Record<string, unknown>;

class Bytes {
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isOver(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw new Error("the frame ends too early");
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  u8(): number {
    return this.take(1)[0]!;
  }

  u16(): number {
    return this.take(2).readUInt16LE();
  }

  u32(): number {
    return this.take(4).readUInt32LE();
  }

  u64(): string {
    return this.take(8).toString("hex");
  }

  varint(): number {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.u8();
      value |= BigInt(byte & 127) << shift;
      if (byte > 127) continue;
      if ((byte === 0 && shift > 0n) || value >= 2n ** 53n) throw new Error("no varint");
      return Number(value);
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

/** Everything that a frame says; its seal is checked where it has one. */
export function readFrame(hex: string, { tag, sealKey }: ClusterKeys): Said {
  const whole = Buffer.from(hex, "hex");
  const isSealed = (whole[4]! & 1) === 1;
  const frame = isSealed ? whole.subarray(0, -16) : whole;
  const seal = createHmac("sha256", sealKey).update(frame).digest().subarray(0, 16);
  if (isSealed && !seal.equals(whole.subarray(-16))) throw new Error("the seal is another");
  const bytes = new Bytes(frame);
  if (bytes.take(3).toString("latin1") !== "tg\0") throw new Error("no frame of version 0");
  const kind = KINDS[bytes.u8()];
  const flags = bytes.u8();
  const isUnrepeated = (flags & 2) === 2;
  if (kind === undefined || flags > 3) throw new Error("no frame of version 0");
  if (bytes.take(4).toString("hex") !== tag) throw new Error("a frame of another cluster");
  const replica = bytes.u64();
  const outside = { kind, isSealed, isUnrepeated, replica };
  const header = { ...outside, sentAt: bytes.varint(), number: bytes.varint() };
  const sections: Said[] = [];
  while (!bytes.isOver) {
    const read = SECTIONS[bytes.u8()];
    const section = new Bytes(bytes.take(bytes.u16()));
    if (read !== undefined) sections.push(read(section));
  }
  return { ...header, sections };
}

/** What `read` returns until the section ends. */
function all<Item>(bytes: Bytes, read: () => Item): Item[] {
  const items: Item[] = [];
  while (!bytes.isOver) items.push(read());
  return items;
}

function times<Item>(count: number, read: () => Item): Item[] {
  return Array.from({ length: count }, read);
}

const SECTIONS: Record<number, (bytes: Bytes) => Said> = {
  1: readComponents,
  2: readNotes,
  3: (bytes) => {
    const [limiter, policy, slot] = [bytes.u64(), bytes.u8(), bytes.varint()];
    const levels = all(bytes, () => ({
      ...{ key: bytes.u64(), reset: bytes.varint() },
      ...{ slot: slot - bytes.varint(), level: Math.floor(bytes.varint() / 2) },
    }));
    return { type: 3, limiter, policy, levels };
  },
  4: (bytes) => ({
    ...{ type: 4, isReady: bytes.u8() === 1, joinedForMs: bytes.varint(), checksum: bytes.u32() },
    ...{ allowed: bytes.varint(), refused: bytes.varint() },
    behind: times(bytes.u8(), () => ({ replica: bytes.u64(), number: bytes.varint() })),
    unsentAgeMs: bytes.varint(),
  }),
  5: (bytes) => ({
    ...{ type: 5, replica: bytes.u64(), since: bytes.varint(), others: bytes.u8() === 1 },
  }),
  6: (bytes) => ({
    ...{ type: 6, since: bytes.varint(), upTo: bytes.varint(), replyNumber: bytes.varint() },
    ...{ part: bytes.varint(), parts: bytes.varint(), hasAllPermits: bytes.u8() === 1 },
  }),
  7: (bytes) => ({
    ...{ type: 7, replica: bytes.u64(), upTo: bytes.varint(), clock: bytes.varint() },
    ...{ silent: bytes.varint(), above: bytes.u32() },
  }),
  8: (bytes) => ({
    type: 8,
    limiters: all(bytes, () => ({
      ...{ name: bytes.u64(), identity: bytes.u64() },
      limits: times(bytes.u8(), () => bytes.varint()),
    })),
  }),
  9: (bytes) => ({ type: 9, replica: bytes.u64(), upTo: bytes.varint() }),
  10: (bytes) => ({
    ...{ type: 10, replica: bytes.u64(), clock: bytes.varint(), held: bytes.varint() },
  }),
};

function readComponents(bytes: Bytes): Said {
  const head = { type: 1, limiter: bytes.u64(), of: bytes.u64(), policy: bytes.u8() };
  const [encoding, gapBytes, ageBytes] = [bytes.u8(), bytes.u8(), bytes.u8()];
  const [generation, reset, base] = [bytes.varint(), bytes.varint(), bytes.varint()];
  const openers = times(bytes.u8(), () => ({
    ...{ opener: bytes.u64(), base: bytes.varint(), agoMs: bytes.signed() },
  }));
  let key = 0n;
  const entries = all(bytes, () => {
    const flags = bytes.u8();
    if ((flags & 16) === 0) key += gapOf(bytes, gapBytes);
    if (key > MASK_64) throw new Error("the fingerprint is too large");
    const number = (flags & 15) === 15 ? bytes.varint() : flags & 15;
    const age = encoding !== 0 ? 0 : ageBytes === 2 ? bytes.u16() : bytes.varint();
    const opener = openers[number];
    const period = [
      { opener: opener?.opener, openedAt: (opener?.base ?? 0) - age },
      { period: base - number },
      {},
    ][encoding];
    const hits = bytes.varint();
    const refunds = (flags & 32) === 0 ? 0 : bytes.varint();
    const refusals = (flags & 64) === 0 ? 0 : bytes.varint();
    const [itsGeneration, itsReset] =
      (flags & 128) === 0 ? [generation, reset] : [bytes.varint(), bytes.varint()];
    const counts = { hits, refunds, refusals, generation: itsGeneration, reset: itsReset };
    return { key: hexOf(key), ...period, ...counts };
  });
  const isWindow = encoding === 0;
  return { ...head, encoding, ...(isWindow && { openers }), entries };
}

function gapOf(bytes: Bytes, count: number): bigint {
  const gap = numberOf(bytes.take(count));
  const isAllOnes = gap === 2n ** BigInt(8 * count) - 1n;
  return isAllOnes && count < 8 ? numberOf(bytes.take(8)) : gap;
}

function numberOf(little: Buffer): bigint {
  return BigInt(`0x${Buffer.from(little).reverse().toString("hex")}`);
}

function hexOf(key: bigint): string {
  return Buffer.from(key.toString(16).padStart(16, "0"), "hex").reverse().toString("hex");
}

function readNotes(bytes: Bytes): Said {
  const [limiter, resetOfAll] = [bytes.u64(), bytes.varint()];
  const notes = all(bytes, () => {
    const [key, flags] = [bytes.u64(), bytes.u8()];
    const reset = (flags & 1) === 0 ? 0 : bytes.varint();
    const resetOfMarks = (flags & 2) === 0 ? 0 : bytes.varint();
    const marks = MARKS.flatMap((mark, at) => {
      if ((flags & (4 << at)) === 0) return [];
      const [itsReset, until, limit] = [bytes.varint(), bytes.varint(), bytes.varint()];
      return [{ mark, reset: itsReset, until, limit: limit === 0 ? null : limit - 1 }];
    });
    return { key, reset, resetOfMarks, marks };
  });
  return { type: 2, limiter, resetOfAll, notes };
}
