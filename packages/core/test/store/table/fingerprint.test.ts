import { describe, expect, it } from "vitest";
import { Fingerprinter } from "../../../src/store/table/fingerprint.ts";
import { expectSame } from "../../quick-expectation.ts";

/** The published example key of HalfSipHash: the bytes 00 to 07. */
const seed = { low: 0x03020100, high: 0x07060504 };

function hex(fingerprinter: Fingerprinter): string {
  const bytes = new Uint8Array(new Int32Array([fingerprinter.low, fingerprinter.high]).buffer);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** HalfSipHash-2-4 with 64 bits, step by step as it is published; an oracle and nothing more. */
function plainly(bytes: Uint8Array): string {
  let [v0, v1, v2, v3] = [seed.low, seed.high, 0x6c796765 ^ seed.low, 0x74656462 ^ seed.high];
  const turn = (word: number, by: number) => (word << by) | (word >>> (32 - by));
  const rounds = (count: number) => {
    for (let round = 0; round < count; round++) {
      v0 = (v0 + v1) | 0;
      v1 = turn(v1, 5) ^ v0;
      v0 = turn(v0, 16);
      v2 = (v2 + v3) | 0;
      v3 = turn(v3, 8) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = turn(v3, 7) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = turn(v1, 13) ^ v2;
      v2 = turn(v2, 16);
    }
  };
  const padded = new Uint8Array(Math.floor(bytes.length / 4) * 4 + 4);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length & 0xff;
  const view = new DataView(padded.buffer);
  v1 ^= 0xee;
  for (let position = 0; position < padded.length; position += 4) {
    const word = view.getInt32(position, true);
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
  const halves = new DataView(new ArrayBuffer(8));
  v2 ^= 0xee;
  rounds(4);
  halves.setInt32(0, v1 ^ v3, true);
  v1 ^= 0xdd;
  rounds(4);
  halves.setInt32(4, v1 ^ v3, true);
  return Buffer.from(halves.buffer).toString("hex");
}

describe("Fingerprinter", () => {
  it("agrees with a plain HalfSipHash-2-4 on keys of every length, as bytes and as text", () => {
    const fingerprinter = new Fingerprinter(seed);
    for (let length = 0; length <= 300; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 151 + length * 29) & 0xff);
      fingerprinter.take(bytes);
      expect(hex(fingerprinter)).toBe(plainly(bytes));
      const text = Array.from(bytes, (byte) => String.fromCharCode(byte & 0x7f)).join("");
      fingerprinter.take(text);
      expect(hex(fingerprinter)).toBe(plainly(Buffer.from(text)));
    }
  });

  it("gives a key asked for often the same fingerprint every time, among others that look alike", () => {
    const fingerprinter = new Fingerprinter(seed);
    const keys = ["", "10.0.0.1", "10.0.0.2", "user:ada", "user:eda", "ключ", "x".repeat(65)];
    // Keys of one place of the table of recent ones: only a character elsewhere differs.
    for (let other = 0; other < 50; other++) keys.push(`a-${other + 10}-of-many-tenants`);
    for (let round = 0; round < 200; round++) {
      for (const key of keys) {
        fingerprinter.take(key);
        expectSame(hex(fingerprinter), plainly(Buffer.from(key)));
      }
    }
    fingerprinter.forget();
    for (const key of keys) {
      fingerprinter.take(key);
      expect(hex(fingerprinter)).toBe(plainly(Buffer.from(key)));
    }
  });

  it("agrees with the published 64-bit vectors of HalfSipHash-2-4", () => {
    const fingerprinter = new Fingerprinter(seed);
    const published = ["218d1f59b9b83cc8", "be552412f8387315"];
    const message = Uint8Array.from({ length: 64 }, (_, index) => index);
    const taken = [0, 1].map((length) => {
      fingerprinter.take(message.subarray(0, length));
      return hex(fingerprinter);
    });
    expect(taken).toEqual(published);
  });
});
