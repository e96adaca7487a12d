import { describe, expect, it } from "vitest";
import { adviceOn } from "../src/settings.ts";
import { FakeConnection } from "./fake-connection.ts";

const FINE = {
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
  pingInterval: 2_000,
  maxPingOut: 2,
};

function named(settings: Readonly<Record<string, unknown>>): string[] {
  return adviceOn(new FakeConnection(settings)).map((advice) => advice.split("'")[1]!);
}

describe("advice on the settings of a connection", () => {
  it("is empty if all is well, or if nothing is exposed", () => {
    expect(named(FINE)).toEqual([]);
    const { publish, subscribe, flush, status, closed, isClosed, close, getServer } =
      new FakeConnection();
    const without = { publish, subscribe, flush, status, closed, isClosed, close, getServer };
    expect(adviceOn(without)).toEqual([]);
  });

  it("names each default that gives up or notices late", () => {
    expect(
      named({ maxReconnectAttempts: 10, pingInterval: 120_000, maxPingOut: 2, reconnect: true }),
    ).toEqual(["maxReconnectAttempts", "ignoreAuthErrorAbort", "pingInterval"]);
  });

  it("says what to set", () => {
    expect(adviceOn(new FakeConnection({ ...FINE, maxReconnectAttempts: 10 }))).toEqual([
      "'maxReconnectAttempts' is 10: set -1, or the connection is closed for good after so many",
    ]);
  });

  it("names what defeats reconnecting altogether", () => {
    expect(named({ ...FINE, reconnect: false, maxReconnectAttempts: 10 })).toEqual(["reconnect"]);
    expect(named({ ...FINE, maxPingOut: 1 })).toEqual(["maxPingOut"]);
    expect(named({ ...FINE, ignoreClusterUpdates: true, servers: "one" })).toEqual([
      "ignoreClusterUpdates",
    ]);
    expect(named({ ...FINE, ignoreClusterUpdates: true, servers: ["one", "two"] })).toEqual([]);
  });
});
