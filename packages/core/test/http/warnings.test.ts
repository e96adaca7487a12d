import { once } from "node:events";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { emitWarning, type TidegateWarning, Warnings } from "../../src/http.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe("a warning", () => {
  it("is emitted by process.emitWarning from any realm, as under Jest, with its code and cause", async () => {
    vi.stubGlobal("Error", runInNewContext("Error"));
    vi.resetModules();
    const foreign = await import("../../src/http/warnings.ts");
    vi.unstubAllGlobals();
    const emitted = once(process, "warning");
    new foreign.Warnings().say("TIDEGATE_STORE_FAILED", "It was Redis.", new RangeError("timeout"));
    expect((await emitted)[0]).toMatchObject({
      name: "TidegateWarning",
      code: "TIDEGATE_STORE_FAILED",
      message: expect.stringContaining("It was Redis."),
      detail: expect.stringContaining("RangeError: timeout"),
    });
  });

  it("never throws, whatever becomes of process.emitWarning", () => {
    const emit = vi.spyOn(process, "emitWarning").mockImplementation(() => {
      throw new TypeError("no warnings here");
    });
    new Warnings().say("TIDEGATE_LIMIT_ZERO", "", Object.create(null));
    emitWarning(Object.assign(new Error("no text"), { message: Symbol("none"), code: 5 }) as never);
    expect(emit).toHaveBeenCalledTimes(2);
  });

  it("is emitted if the logger throws", () => {
    const emit = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const warnings = new Warnings(true, () => {
      throw new Error("no logger");
    });
    warnings.say("TIDEGATE_LIMIT_ZERO");
    expect(emit.mock.calls[0]?.[1]).toMatchObject({ code: "TIDEGATE_LIMIT_ZERO" });
  });
});

function heard(switches?: ConstructorParameters<typeof Warnings>[0]) {
  const said: TidegateWarning[] = [];
  return { said, warnings: new Warnings(switches, (warning) => said.push(warning)) };
}

describe("failures", () => {
  it("are reported each time, ten in a second at most, and the others as a number", () => {
    const { said, warnings } = heard(false);
    for (let at = 0; at < 25; at++) warnings.report("TIDEGATE_STORE_FAILED", new Error("no"), at);
    expect(said).toHaveLength(10);
    warnings.report("TIDEGATE_STORE_FAILED", new Error("no"), 1_000);
    warnings.report("TIDEGATE_STORE_FAILED", new Error("no"), 1_001);
    expect(said).toHaveLength(12);
    expect(said[10]?.message).toContain("It happened 15 more times since the last report.");
    expect(said[11]?.message).not.toContain("times more");
    expect(said[11]?.cause).toEqual(new Error("no"));
  });

  it("are not reported where their own switch is off", () => {
    const { said, warnings } = heard({ storeFailed: false });
    warnings.report("TIDEGATE_STORE_FAILED", new Error("no"), 0);
    expect(said).toEqual([]);
  });
});
