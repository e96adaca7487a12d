import { describe, expect, it } from "vitest";
import { AddressList } from "../../../src/http/client/address-list.ts";
import { FakeRequest, Stand } from "../exchange.ts";

describe("a list", () => {
  const list = new AddressList("allow", ["10.0.0.0/8", "2001:db8::/32", "1.2.3.4", "user:7"]);

  it.each([
    [null, "10.200.3.4", true],
    [null, "::ffff:10.1.1.1", true],
    [null, "11.0.0.1", false],
    [null, "2001:db8:ffff::1", true],
    [null, "2001:db9::1", false],
    [null, "1.2.3.4:999", true],
    ["user:7", null, true],
    ["user:8", "9.9.9.9", false],
    [null, "nonsense", false],
  ])("with key %s and address %s answers %s", (key, address, expected) => {
    expect(list.has(key, [address])).toBe(expected);
  });

  it("matches no key that only reads like an address in it", () => {
    for (const key of ["1.2.3.4", "10.0.0.0/8", "2001:db8::/32"]) {
      expect(list.has(key, ["9.9.9.9"])).toBe(false);
      expect(list.has(key, [])).toBe(false);
    }
  });

  it("trusts no address by itself, loopback and link-local included (K14)", () => {
    const empty = new AddressList("allow", []);
    expect(empty.has("127.0.0.1", ["127.0.0.1"])).toBe(false);
    expect(empty.has("::/56", ["::1"])).toBe(false);
    expect(empty.has("fe80::/56", ["fe80::1"])).toBe(false);
  });

  it.each([
    ...["127.0.0/8", "203.0.113/24", "127.0.0.*", "127.0.0.0/255.0.0.0", "10.0.0.0/", "10.*/8"],
    ...["2001:db8/32", "2001:db8::/ffff:ffff::", "2001:DB8:*", "*", "203.0.113.*/24"],
  ])("refuses %s, which is meant as a network and is none", (entry) => {
    expect(() => new AddressList("allow", ["ada", entry])).toThrow(
      /^'allow\[1\]' must be .*a network such as "203.0.113.0\/24" or "2001:db8::\/32", or a key/,
    );
  });

  it.each([
    ...[
      "GET /path",
      "GET /*",
      "tenant/33",
      "42/7",
      "10.0.0.1/login",
      "a:b/c",
      "user:7/8",
      "cafe/24",
    ],
    ...["3:abc1:d", "tenant-*", "*.shop.example", "1.2.3.4.5", "localhost", "/", "sha256:9f/4a="],
  ])("treats %s as a key", (key) => {
    expect(new AddressList("block", [key]).has(key, [])).toBe(true);
  });

  it("refuses a value that is no list", () => {
    expect(() => new AddressList("allow", "10.0.0.0/8")).toThrow(/TIDEGATE_OPTION_INVALID/);
    expect(() => new AddressList("allow", [7])).toThrow(/allow\[0\]/);
  });
});

describe("a gate with lists", () => {
  it("has lists of allowed and blocked clients, the block list first", () => {
    const stand = new Stand({ limit: 0, allow: ["192.0.2.0/24"], block: ["192.0.2.9"] });
    const from = (address: string) => Object.assign(new FakeRequest(), { address });
    expect(stand.enter(from("192.0.2.1")).outcome).toBeNull();
    const { outcome, response } = stand.enter(from("192.0.2.9"));
    expect([outcome?.status, outcome?.reason]).toEqual([403, "list"]);
    expect(response.get("retry-after")).toBeUndefined();
    expect(stand.enter(from("198.51.100.1")).outcome?.status).toBe(429);
  });

  it("finds in lists the address that counts, however it was written or come by", () => {
    const lists = { block: ["10.0.0.0/8", "192.0.2.1"], allow: ["2001:db8:64::/96"] };
    const translationPrefixes = ["2001:db8:64::/96"];
    const stand = new Stand({ limit: 0, ...lists, translationPrefixes });
    const statusFrom = (address: string): number | undefined =>
      stand.enter(Object.assign(new FakeRequest(), { address })).outcome?.status;
    for (const address of ["64:ff9b::a02:202", "::ffff:10.2.2.2", "[2001:db8:64::a02:202]:80"]) {
      expect(statusFrom(address)).toBe(403);
    }
    expect(statusFrom("<script>")).toBe(403);
    expect(statusFrom("2001:db8:64::203.0.113.9")).toBeUndefined();
    expect(statusFrom("203.0.113.9")).toBe(429);
  });

  it("never matches a key with an address in a list", () => {
    const lists = { allow: ["10.0.0.0/8", "192.0.2.7", "ada"], block: ["203.0.113.0/24"] };
    const stand = new Stand({ limit: 0, ...lists, key: ({ headers }) => headers["x-key"] });
    const statusOf = (key: string, address = "198.51.100.1"): number | undefined =>
      stand.enter(Object.assign(new FakeRequest({ "x-key": key }), { address })).outcome?.status;
    for (const key of ["192.0.2.7", "10.0.0.0/8", "203.0.113.0/24"])
      expect(statusOf(key)).toBe(429);
    expect(statusOf("ada")).toBeUndefined();
    expect(statusOf("eve", "192.0.2.7")).toBeUndefined();
    expect(statusOf("eve", "203.0.113.9")).toBe(403);
  });

  it("blocks clients without a key, too", () => {
    const stand = new Stand({ key: () => false, block: () => true });
    expect(stand.enter().outcome?.status).toBe(403);
    expect(new Stand({ key: () => false, limit: 0 }).enter().outcome).toBeNull();
  });
});
