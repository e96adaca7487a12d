import { afterEach, describe, expect, it } from "vitest";
import { FakeRequest, Stand } from "../exchange.ts";

afterEach(() => {
  Stand.closeAll();
});

describe("requests whose client has reset the connection, and whose address is gone", () => {
  const nowhere = { address: undefined, socketAddress: undefined };
  const gone = (connection: object = { destroyed: true }) => {
    return Object.assign(new FakeRequest(), { ...nowhere, connection });
  };
  const noticed = () => gone({ destroyed: false, localAddress: "192.0.2.9" });

  it("count as one client, and are not warned of (K7)", () => {
    for (const options of [{}, { skip: () => false }, { key: () => undefined }]) {
      const stand = new Stand({ limit: 3, ...options });
      expect(stand.passes(4, gone) + stand.passes(4, noticed)).toBe(3);
      expect(stand.codes).toEqual([]);
      expect(stand.passes(4)).toBe(3);
    }
  });

  it("count together where a key function or a proxy names no address either (K7)", () => {
    const stand = new Stand({ limit: 3 });
    const odd = () => Object.assign(gone(), { address: "<script>" });
    expect(stand.passes(4, odd) + stand.passes(4, gone)).toBe(3);
    const proxied = () => Object.assign(gone(), { address: "192.0.2.1" });
    expect(stand.passes(4, proxied)).toBe(3);
  });

  it("are refused where a block list could have named them (L1)", () => {
    for (const block of [["192.0.2.1"], () => false]) {
      for (const key of [undefined, () => "ada"]) {
        const stand = new Stand({ block, ...(key && { key }) });
        expect(stand.enter(gone()).outcome?.status).toBe(403);
        expect(stand.enter(noticed()).outcome?.status).toBe(403);
        expect(stand.passes(1, () => Object.assign(gone(), { address: "192.0.2.2" }))).toBe(1);
        expect(stand.passes(1, () => Object.assign(new FakeRequest(), nowhere))).toBe(1);
      }
    }
    expect(new Stand({ block: ["ada"] }).passes(1, gone)).toBe(1);
  });

  it("are refused under the preset login (K7)", () => {
    const login = new Stand({ preset: "login", username: () => "ada" });
    expect(login.enter(gone()).outcome?.reason).toBe("address");
  });
});
