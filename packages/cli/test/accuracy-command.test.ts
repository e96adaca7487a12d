import { describe, expect, it } from "vitest";
import { typed } from "./commands.ts";

const SMALL = "--replicas 3 --limit 100 --load 2 --windows 3";

describe("tidegate sim", () => {
  it("prints a table within 80 columns, a line that replays it, and writes a chart", async () => {
    const { code, out, err, files } = await typed(`sim ${SMALL} --loss 1%`);
    expect([code, err]).toEqual([0, ""]);
    const lines = out.split("\n");
    const replay = lines.find((line) => line.startsWith("replay"))!;
    expect(lines.filter((line) => line !== replay && line.length > 80)).toEqual([]);
    expect(lines.filter((line) => line.endsWith("◀"))).toEqual([expect.stringMatching(/^200 +2 /)]);
    expect(out).toContain("3 processes, limit 100 per 1s (fixed), flush 50ms, latency 5ms");
    expect([...files.keys()]).toEqual(["tidegate-sim.svg"]);
    const again = await typed(replay.replace(/^replay +npx tidegate@0\.0\.0 /, ""));
    expect(again.out).toBe(out);
    expect(again.files).toEqual(files);
  });

  it("prints JSON of the load that was asked for, and writes a chart only if asked", async () => {
    const { out, files } = await typed(`sim ${SMALL} --json`);
    const { options, loads } = JSON.parse(out);
    expect(options).toMatchObject({ replicas: 3, limit: 100, window: 1_000, seed: 1 });
    expect(loads).toHaveLength(1);
    expect(loads[0]).toMatchObject({ load: 2, isAsked: true, limitedWindows: expect.any(Number) });
    expect(loads[0].over.mean).toBeLessThan(0.2);
    expect(files.size).toBe(0);
    const charted = await typed(`sim ${SMALL} --json --svg own.svg`);
    expect(JSON.parse(charted.out).loads).toHaveLength(6);
    expect([...charted.files.keys()]).toEqual(["own.svg"]);
    expect((await typed(`sim ${SMALL} --svg none`)).files.size).toBe(0);
  });

  it("takes the rate in hits per second, or the load in limits per window", async () => {
    const rate = await typed(
      "sim --replicas 2 --limit 50 --window 2s --rate 75 --windows 2 --json",
    );
    const load = await typed("sim --replicas 2 --limit 50 --window 2s --load 3 --windows 2 --json");
    expect(JSON.parse(rate.out).loads).toEqual(JSON.parse(load.out).loads);
    expect(JSON.parse(rate.out).loads[0].ratePerSecond).toBe(75);
  });

  it("knows each policy, and all that it can be told of a load", async () => {
    for (const policy of ["fixed", "aligned", "sliding", "log", "token", "leaky"]) {
      const line = `sim --replicas 2 --limit 20 --load 3 --windows 2 --policy ${policy} --json`;
      expect(JSON.parse((await typed(line)).out).loads[0].admitted, policy).toBeGreaterThan(20);
    }
    const { code, out } = await typed(
      "sim --replicas 4 --limit 20 --load 9 --windows 3 --keys 5 --rotate 20% --max-keys 50 " +
        "--balance skewed --arrivals bursts --clocks 20ms --jitter 5ms --runs 2 --warm-up 1 --seed 9",
    );
    expect(code).toBe(0);
    expect(out).toMatch(/replay .*--clocks 20ms --jitter 5ms --runs 2 --warm-up 1 --seed 9$/m);
  });

  it("shows nothing to exceed where an exact limiter refuses nothing", async () => {
    const { out } = await typed("sim --replicas 2 --limit 100 --load 0.4 --windows 2 --svg none");
    expect(out).toMatch(/^40 +0\.4 +– +– +– .*◀$/m);
  });

  it("says how far it is, on the other stream, when it takes long", async () => {
    let nowMs = 0;
    const nowMsOf = (): number => (nowMs += 1_000);
    const { err } = await typed(`sim ${SMALL}`, { nowMs: nowMsOf, isInteractive: true });
    expect(err).toMatch(/\r\d+ % simulating 0\.5 × the limit/);
    expect(err.endsWith("\r")).toBe(true);
    const quiet = await typed(`sim ${SMALL}`, { nowMs: nowMsOf });
    expect(quiet.err).toBe("this takes more than a moment…\n");
  });
});
