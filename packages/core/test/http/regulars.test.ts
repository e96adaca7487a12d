import { describe, expect, it } from "vitest";
import { Regulars } from "../../src/http/regulars.ts";

const OFTEN = 64;

function read(text: string): string {
  return `what ${text} means`;
}

/** Comes so often that it is taken in if it can be. */
function come(regulars: Regulars<string>, text: string): string | undefined {
  for (let time = 0; time < OFTEN; time++) {
    if (regulars.find(text) === undefined) regulars.missed(text, read);
  }
  return regulars.find(text);
}

describe("those who come often", () => {
  it("are found by what their address was said to mean", () => {
    const regulars = new Regulars<string>();
    expect(regulars.find("192.0.2.1")).toBeUndefined();
    expect(come(regulars, "192.0.2.1")).toBe("what 192.0.2.1 means");
    expect(regulars.find("192.0.2.10")).toBeUndefined();
  });

  it("are few of those who come once", () => {
    const regulars = new Regulars<string>();
    let asked = 0;
    for (let index = 0; index < 3_200; index++) {
      regulars.missed(`client ${index}`, (text) => {
        asked++;
        return text;
      });
    }
    expect(asked).toBe(100);
  });

  it("are forgotten when they should be", () => {
    const regulars = new Regulars<string>();
    come(regulars, "192.0.2.1");
    regulars.forget();
    expect(regulars.find("192.0.2.1")).toBeUndefined();
  });

  it("make room for others, the oldest first", () => {
    const regulars = new Regulars<string>();
    for (let index = 0; index < 2_049; index++) come(regulars, `client ${index}`);
    const found = [0, 1, 2_048].map((index) => regulars.find(`client ${index}`) !== undefined);
    expect(found).toEqual([false, true, true]);
  });

  it.each([
    ["is too long to be an address", "9".repeat(65)],
    ["is in letters that no address has", "１９２.0.2.1"],
  ])("are not remembered by what %s", (_, text) => {
    expect(come(new Regulars<string>(), text)).toBeUndefined();
  });

  it("are not remembered by what means nothing", () => {
    const regulars = new Regulars<string>();
    for (let time = 0; time < OFTEN; time++) regulars.missed("unknown", () => undefined);
    expect(regulars.find("unknown")).toBeUndefined();
  });
});
