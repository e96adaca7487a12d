import { describe, expect, it } from "vitest";
import {
  AddressKeys,
  checkSubnet,
  translationPrefixes,
} from "../../../src/http/client/client-address.ts";
import {
  compositeKey,
  keyOf,
  nameOf,
  shownKeyOf,
  storedKey,
} from "../../../src/http/client/client-key.ts";

const keys = new AddressKeys();

describe("the key of an address", () => {
  it.each([
    ["1.2.3.4", "1.2.3.4"],
    ["::ffff:1.2.3.4", "1.2.3.4"],
    ["::ffff:102:304", "1.2.3.4"],
    ["::FFFF:1.2.3.4", "1.2.3.4"],
    ["[::ffff:1.2.3.4]:80", "1.2.3.4"],
    ["0:0:0:0:0:ffff:1.2.3.4", "1.2.3.4"],
  ])("is IPv4 where a mapped one is meant: %s (K8)", (text, expected) => {
    expect(keys.of(text, 56)).toBe(expected);
  });

  it("is IPv6 where IPv4 is only a way to write the end (K9)", () => {
    expect(keys.of("2001:db8:1234:5678::1.2.3.4", 56)).toBe("2001:db8:1234:5600::/56");
    expect(keys.of("::1.2.3.4", 56)).toBe(keys.of("::102:304", 56));
  });

  it.each([
    ["2001:db8:1:2:3:4:5:6", 56, "2001:db8:1::/56"],
    ["2001:db8:1:2:3:4:5:6", 64, "2001:db8:1:2::/64"],
    ["2001:db8:1:2:3:4:5:6", 60, "2001:db8:1::/60"],
    ["::1", 56, "::/56"],
    ["2001:0DB8::0001", false, "2001:db8::1"],
  ] as const)("of %s in a network of %s bits is %s (K11)", (text, bits, expected) => {
    expect(keys.of(text, bits)).toBe(expected);
  });

  it("keeps networks of different lengths apart (K12)", () => {
    expect(keys.of("2001:db8::1", 56)).not.toBe(keys.of("2001:db8::1", 48));
  });

  it("is the IPv4 address behind a translator (K13)", () => {
    const configured = new AddressKeys(translationPrefixes("p", ["2001:db8:64::/96"]));
    expect(keys.of("64:ff9b::1.2.3.4", 56)).toBe("1.2.3.4");
    expect(keys.of("64:ff9b::102:304", 56)).toBe("1.2.3.4");
    expect(configured.of("2001:db8:64::102:304", 56)).toBe("1.2.3.4");
    expect(keys.of("2001:db8:64::102:304", 56)).toBe("2001:db8:64::/56");
  });

  it.each([
    "01.2.3.4",
    "0x7f.1",
    "1.2.3",
    "1.2.3.256",
    "",
    "unknown",
    "<script>",
    "1.2.3.4:x",
    "[::1",
  ])("does not exist for %j (K6, K25)", (text) => {
    expect(keys.of(text, 56)).toBeNull();
  });

  it.each(["1.2.3.4:5678", "[1.2.3.4]:80", "[1.2.3.4]"])(
    "leaves the port of %s out (K6)",
    (text) => {
      expect(keys.of(text, 56)).toBe("1.2.3.4");
    },
  );

  it("refuses networks that make no sense where they are given", () => {
    expect(() => checkSubnet("ipv6Subnet", 65)).toThrow(/from 32 to 64/);
    expect(() => checkSubnet("ipv6Subnet", 56.5)).toThrow(/TIDEGATE_OPTION_INVALID/);
    expect(() => translationPrefixes("p", ["2001:db8::/64"])).toThrow(/96 bits/);
    expect(() => translationPrefixes("p", ["10.0.0.0/96"])).toThrow(/96 bits/);
    expect(() => translationPrefixes("p", "2001:db8::/96")).toThrow(/array/);
  });
});

describe("a key", () => {
  it("of several parts is ambiguous for none of them (K15)", () => {
    expect(compositeKey("a", "b:c")).not.toBe(compositeKey("a:b", "c"));
    expect(compositeKey("a", "")).not.toBe(compositeKey("", "a"));
    expect(compositeKey("1:a", "b")).not.toBe(compositeKey("1", "a1:b"));
    expect(keyOf(["a", 7])).toBe(compositeKey("a", 7));
  });

  it("is missing where nothing was answered, and never the word undefined (K7)", () => {
    const bytes = [new Uint8Array(0), Buffer.alloc(0)];
    const numbers = [Number.NaN, Number.POSITIVE_INFINITY, ["ada", Number.NaN]];
    for (const nothing of [undefined, null, "", [], [""], ["", ""], ...bytes, ...numbers]) {
      expect(keyOf(nothing)).toBeNull();
    }
    expect(keyOf(["", "ada"])).toBe(compositeKey("", "ada"));
    expect(keyOf(7)).toBe("7");
    expect(keyOf(7n)).toBe("7");
  });

  it("is missing in what is none, which as a user name is a mistake", () => {
    for (const other of [true, false, {}, new Date(0), [{}], ["ada", undefined], () => "ada"]) {
      expect(keyOf(other)).toBeNull();
      expect(() => nameOf(other)).toThrow(/a user name must be .*TIDEGATE_KEY_INVALID/);
    }
    for (const answer of [undefined, null, "", Number.NaN, [], "ada", 7, ["a", 7]]) {
      expect(nameOf(answer)).toEqual(shownKeyOf(answer));
    }
  });

  it("is hashed for stores when it is long or has control characters (K16)", () => {
    expect(storedKey("ada")).toBe("ada");
    expect(storedKey("x".repeat(257))).toMatch(/^sha256:[\w-]{43}$/);
    expect(storedKey("a\nb")).toMatch(/^sha256:/);
    expect(storedKey(Uint8Array.of(1, 2, 3))).toBe("AQID");
  });
});
