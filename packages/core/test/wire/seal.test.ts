import { describe, expect, it } from "vitest";
import { SEAL_BYTES } from "../../src/wire/frame.ts";
import { Seal } from "../../src/wire/seal.ts";

describe("a seal", () => {
  it("is the same for the same namespace and secret, and another one otherwise", () => {
    const ours = new Seal("shop", "a secret");
    const bytes = Uint8Array.from([1, 2, 3]);
    const sealed = Uint8Array.from([...bytes, ...ours.of(bytes)]);
    expect(sealed.length).toBe(3 + SEAL_BYTES);
    const same = new Seal("shop", Buffer.from("a secret"));
    expect([same.tag, same.isOn(sealed)]).toEqual([ours.tag, true]);
    const limiter = { low: 5, high: -6 };
    expect(same.keySeed(limiter)).toEqual(ours.keySeed(limiter));
    expect(ours.keySeed({ low: 5, high: 6 })).not.toEqual(ours.keySeed(limiter));
    for (const other of [new Seal("shop", "another"), new Seal("chop", "a secret")]) {
      expect(other.isOn(sealed)).toBe(false);
      expect(other.tag).not.toBe(ours.tag);
      expect(other.keySeed(limiter)).not.toEqual(ours.keySeed(limiter));
    }
  });

  it("is on no frame that was changed, cut or too short", () => {
    const ours = new Seal("shop", "a secret");
    const bytes = Uint8Array.from({ length: 50 }, (_, index) => index);
    const sealed = Uint8Array.from([...bytes, ...ours.of(bytes)]);
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice();
      changed[at]! ^= 1;
      expect(ours.isOn(changed)).toBe(false);
      expect(ours.isOn(sealed.subarray(0, at))).toBe(false);
    }
  });

  it("is absent without a secret, and the namespace alone makes tag and seed", () => {
    const open = new Seal("shop", undefined);
    expect(open.isSealing).toBe(false);
    const limiter = { low: 1, high: 2 };
    expect(new Seal("shop", undefined).keySeed(limiter)).toEqual(open.keySeed(limiter));
    expect(new Seal("chop", undefined).tag).not.toBe(open.tag);
  });
});
