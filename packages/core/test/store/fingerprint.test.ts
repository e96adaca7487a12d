import { describe, expect, it } from "vitest";
import { Fingerprinter } from "../../src/store/fingerprint.ts";

/** The published example key of HalfSipHash: the bytes 00 to 07. */
const seed = { low: 0x03020100, high: 0x07060504 };

function hex(fingerprinter: Fingerprinter): string {
  const bytes = new Uint8Array(new Int32Array([fingerprinter.low, fingerprinter.high]).buffer);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

describe("Fingerprinter", () => {
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
