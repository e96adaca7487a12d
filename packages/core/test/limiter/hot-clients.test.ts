import { describe, expect, it } from "vitest";
import { HotClient, HotClients } from "../../src/limiter/hot-clients.ts";

const OFTEN = 64;

function read(text: string): HotClient {
  return new HotClient(`what ${text} means`, 1, 2);
}

/** Comes so often that it is taken in if it can be. */
function come(hotClients: HotClients, text: string): string | undefined {
  for (let time = 0; time < OFTEN; time++) {
    if (hotClients.find(text) === undefined) hotClients.missed(text, read);
  }
  return hotClients.find(text)?.key;
}

describe("frequent clients", () => {
  it("are found by the text of their address", () => {
    const hotClients = new HotClients(10_000);
    expect(hotClients.find("192.0.2.1")).toBeUndefined();
    expect(come(hotClients, "192.0.2.1")).toBe("what 192.0.2.1 means");
    expect(hotClients.find("192.0.2.10")).toBeUndefined();
  });

  it("are few of the clients that come once", () => {
    const hotClients = new HotClients(10_000);
    let asked = 0;
    for (let index = 0; index < 3_200; index++) {
      hotClients.missed(`client ${index}`, (text) => {
        asked++;
        return read(text);
      });
    }
    expect(asked).toBe(100);
  });

  it("are forgotten when the cache is closed, and never cached again", () => {
    const hotClients = new HotClients(10_000);
    come(hotClients, "192.0.2.1");
    hotClients.close();
    expect(hotClients.find("192.0.2.1")).toBeUndefined();
    expect(come(hotClients, "192.0.2.1")).toBeUndefined();
  });

  it("are no more than the keys of the limiter", () => {
    const hotClients = new HotClients(3);
    const found = ["a", "b", "c", "d"].map((text) => come(hotClients, text) !== undefined);
    expect(found).toEqual([true, true, true, false]);
  });

  it("are as many as the cache has room for", () => {
    const hotClients = new HotClients(10_000);
    const clients = Array.from({ length: 2_060 }, (_, index) => `client ${index}`);
    const found = clients.filter((text) => come(hotClients, text) !== undefined);
    expect(found).toEqual(clients.slice(0, 2_048));
    // Those who were there before others go on being found.
    expect(come(hotClients, "client 0")).toBe("what client 0 means");
  });

  it("are forgotten when most lookups miss, and looked up again much later", () => {
    const hotClients = new HotClients(10_000);
    come(hotClients, "192.0.2.1");
    const strangers = (count: number): void => {
      for (let index = 0; index < count; index++) {
        const text = `client ${index}`;
        if (hotClients.find(text) === undefined) hotClients.missed(text, () => undefined);
      }
    };
    strangers(130_000);
    expect(hotClients.find("192.0.2.1")?.key).toBe("what 192.0.2.1 means");
    strangers(2_000);
    expect(come(hotClients, "192.0.2.1")).toBeUndefined();
    strangers(530_000);
    expect(come(hotClients, "192.0.2.1")).toBe("what 192.0.2.1 means");
  });

  it.each([
    ["is too long to be an address", "9".repeat(65)],
    ["is in letters that no address has", "１９２.0.2.1"],
  ])("are not cached by a text that %s", (_, text) => {
    expect(come(new HotClients(10_000), text)).toBeUndefined();
  });

  it("are not cached by a text without a key", () => {
    const hotClients = new HotClients(10_000);
    for (let time = 0; time < OFTEN; time++) hotClients.missed("unknown", () => undefined);
    expect(hotClients.find("unknown")).toBeUndefined();
  });
});
