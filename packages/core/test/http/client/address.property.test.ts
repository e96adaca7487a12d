import { BlockList, isIPv4, isIPv6 } from "node:net";
import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareAddress, formatIpv6, isIpv4, parseAddress } from "../../../src/http/client/address.ts";
import { AddressList } from "../../../src/http/client/address-list.ts";
import { AddressKeys } from "../../../src/http/client/client-address.ts";
import { expectEqual } from "../../quick-expectation.ts";

const groups = fc.array(fc.oneof(fc.constant(0), fc.constant(0xffff), fc.nat(0xffff)), {
  minLength: 8,
  maxLength: 8,
});
/** Text that is nearly an address, or one. */
const nearly = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4Extended(),
  fc.stringMatching(/^[0-9a-f:.]{1,24}$/),
  fc.stringMatching(/^(\d{1,3}\.){3}\d{1,3}$/),
  fc.stringMatching(/^([0-9a-f]{0,5}:){2,8}[0-9a-f]{0,4}$/),
  fc.stringMatching(/^([0-9a-f]{1,4}:){6}(\d{1,3}\.){3}\d{1,3}$/),
  fc.stringMatching(/^::([0-9a-f]{1,4}:){0,5}(\d{1,3}\.){3}\d{1,3}$/),
  fc.string(),
);

describe("an address", () => {
  it("is one exactly when Node says so", () => {
    fc.assert(
      fc.property(nearly, (text) => {
        expectEqual([text, isIpv4(text)], [text, isIPv4(text)]);
        const isAddress = isIPv4(text) || (isIPv6(text) && !text.includes("%"));
        expectEqual([text, parseAddress(text) !== null], [text, isAddress]);
      }),
      seededRuns(4_000),
    );
  });

  it("is written as URLs write it, and reads back as itself", () => {
    fc.assert(
      fc.property(groups, (given) => {
        const text = formatIpv6(given);
        expect(parseAddress(text)).toEqual(given);
        expect(`[${text}]`).toBe(
          new URL(`http://[${given.map((g) => g.toString(16)).join(":")}]`).hostname,
        );
      }),
      seededRuns(1_000),
    );
  });

  it("is found in what proxies write around it, and no text grows by looking", () => {
    fc.assert(
      fc.property(
        fc.ipV6(),
        fc.nat(65_535),
        fc.stringMatching(/^[a-z0-9]{1,8}$/),
        (text, port, zone) => {
          expect(bareAddress(`[${text}]:${port}`)).toBe(text);
          expect(bareAddress(`[${text}]`)).toBe(text);
          expect(bareAddress(`${text}%${zone}`)).toBe(text);
        },
      ),
      seededRuns(500),
    );
    fc.assert(
      fc.property(fc.string(), (text) => bareAddress(text).length <= text.length),
      seededRuns(500),
    );
  });
});

describe("a list of addresses", () => {
  it("finds what Node's own list finds", () => {
    const entry = fc.oneof(fc.tuple(fc.ipV4(), fc.nat(32)), fc.tuple(fc.ipV6(), fc.nat(128)));
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 1, maxLength: 6 }),
        fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { maxLength: 8 }),
        (networks, others) => {
          const list = new AddressList(
            "allow",
            networks.map(([address, bits]) => `${address}/${bits}`),
          );
          const oracle = new BlockList();
          for (const [address, bits] of networks) {
            oracle.addSubnet(address, bits, isIPv4(address) ? "ipv4" : "ipv6");
          }
          for (const address of [...others, ...networks.map(([address]) => address)]) {
            // Node does not see an IPv4 address in a mapped one; mapped ones are left out.
            if (address.toLowerCase().includes("ffff:")) continue;
            const found = oracle.check(address, isIPv4(address) ? "ipv4" : "ipv6");
            const isBroad = networks.some(([given, bits]) => !isIPv4(given) && bits < 96);
            if (isIPv4(address) && isBroad) continue;
            expect([address, list.has(null, [address])]).toEqual([address, found]);
          }
        },
      ),
      seededRuns(500),
    );
  });
});

describe("the key of an address", () => {
  const keys = new AddressKeys();

  it("is one for all spellings (K10), and names its network (K12)", () => {
    fc.assert(
      fc.property(groups, fc.integer({ min: 32, max: 64 }), (given, bits) => {
        const long = given.map((group) => group.toString(16).padStart(4, "0")).join(":");
        const short = formatIpv6(given);
        const expected = keys.of(short, bits);
        for (const text of [
          long,
          long.toUpperCase(),
          `[${short}]`,
          `[${long}]:443`,
          `${short}%eth0`,
        ]) {
          expect(keys.of(text, bits)).toBe(expected);
        }
        if (expected?.includes(":") === true)
          expect(expected.slice(expected.indexOf("/"))).toBe(`/${bits}`);
      }),
      seededRuns(500),
    );
  });

  it("does not depend on what was read before", () => {
    const text = fc.constantFrom(
      ...["2001:db8::1", "2001:db8:0:f0f::1", "2001:DB8::1", "[2001:db8::1]:80", "fe80::1%eth0"],
      ...["::ffff:c000:201", "192.0.2.1:80", "2001:db8::1%é", "nowhere", `${"0".repeat(60)}::1`],
    );
    const subnet = fc.constantFrom<(number | false)[]>(32, 56, 64, false);
    const known = new AddressKeys();
    fc.assert(
      fc.property(text, subnet, (given, bits) => {
        expect(known.of(given, bits)).toBe(new AddressKeys().of(given, bits));
      }),
      seededRuns(2_000),
    );
  });

  it("is null for what is no address, and never that text (K6, K25)", () => {
    fc.assert(
      fc.property(nearly, (text) => {
        const bare = bareAddress(text);
        const isAddress = isIPv4(bare) || (isIPv6(bare) && !bare.includes("%"));
        expect(keys.of(text, 56) !== null).toBe(isAddress);
      }),
      seededRuns(1_000),
    );
  });
});
