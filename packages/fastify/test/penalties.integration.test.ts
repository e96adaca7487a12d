import { MINUTE } from "@tidegate/core";
import { describe, expect, it } from "vitest";
import { type App, clock, withPlugin } from "./app.ts";

/** What `count` requests are answered: status and wait. */
async function answers(app: App, count: number): Promise<(readonly [number, string])[]> {
  const all: (readonly [number, string])[] = [];
  for (let index = 0; index < count; index++) {
    const { status, headers } = await app.get();
    all.push([status, headers["retry-after"] ?? ""]);
  }
  return all;
}

describe("ban", () => {
  it("turns refusals into 403 once there were more than so many, until the window ends", async () => {
    const told: string[] = [];
    const options = {
      ...{ max: 1, ban: 2 },
      onExceeding: (_request: unknown, key: string) => told.push(`exceeding ${key}`),
      onExceeded: (_request: unknown, key: string) => told.push(`exceeded ${key}`),
      onBanReach: (_request: unknown, key: string) => told.push(`ban ${key}`),
    };
    await withPlugin(options as never, {
      visit: async (app) => {
        const [one, ...others] = (await answers(app, 5)).map(([status]) => status);
        expect([one, others]).toEqual([200, [429, 429, 403, 403]]);
        const { body } = await app.get();
        expect(body).toMatchObject({ statusCode: 403, error: "Forbidden" });
        const [exceeded, ban] = ["exceeded 127.0.0.1", "ban 127.0.0.1"];
        expect(told).toEqual([
          ...["exceeding 127.0.0.1", exceeded, exceeded],
          ...[exceeded, ban, exceeded, ban, exceeded, ban],
        ]);
        clock.advance(MINUTE);
        expect((await app.get()).status).toBe(200);
      },
    });
  });

  it("of 0 comes with the first refusal", async () => {
    await withPlugin(
      { max: 1, ban: 0 },
      {
        visit: async (app) => {
          expect(await app.statuses("/", "/")).toEqual([200, 403]);
        },
      },
    );
  });
});

describe("continueExceeding", () => {
  it("starts the window anew with every refusal, also for the banned", async () => {
    for (const ban of [-1, 0, 1]) {
      await withPlugin(
        { max: 1, ban, continueExceeding: true },
        {
          visit: async (app) => {
            const [first, ...refused] = await answers(app, 3);
            expect(first?.[0]).toBe(200);
            expect(refused.map(([, wait]) => wait)).toEqual(["60", "60"]);
            clock.advance(MINUTE - 1);
            const [again] = await answers(app, 1);
            const isBanned = ban === 0 || ban === 1;
            expect(again).toEqual([isBanned ? 403 : 429, "60"]);
            clock.advance(MINUTE);
            expect((await app.get()).status).toBe(200);
          },
        },
      );
    }
  });
});

describe("exponentialBackoff", () => {
  it("doubles the wait with every refusal, and keeps to the wait that it sends (W7)", async () => {
    await withPlugin(
      { max: 1, ban: 2, exponentialBackoff: true },
      {
        visit: async (app) => {
          expect(await answers(app, 5)).toEqual([
            ...[[200, ""] as const, [429, "60"] as const, [429, "120"] as const],
            ...[[403, "240"] as const, [403, "480"] as const],
          ]);
          clock.advance(480_000);
          expect((await app.get()).status).toBe(200);
        },
      },
    );
  });

  it("gives way to continueExceeding", async () => {
    const options = { max: 1, exponentialBackoff: true, continueExceeding: true };
    await withPlugin(options, {
      visit: async (app) => {
        expect((await answers(app, 4)).at(-1)).toEqual([429, "60"]);
      },
    });
  });
});
