/**
 * What a real store and its reference are compared by: every result of their public calls.
 */

import type { ReferenceComponent } from "@tidegate/testkit";
import { expect } from "vitest";
import { MarkedWait } from "../../src/limiter/penalties.ts";
import { GridShape } from "../../src/store/shapes/grid/grid-shape.ts";
import type { Shape } from "../../src/store/table/entry.ts";
import { numberOf } from "../../src/store/table/record-id.ts";
import { expectEqual, expectSame } from "../quick-expectation.ts";
import { highOf, lowOf } from "./shape-cases.ts";
import type { Twin } from "./twin.ts";

/** Compares everything that can be asked of the two. */
export function agree(twin: Twin, keys: readonly number[]): void {
  const { store, reference } = twin;
  expectSame(store.generation, reference.generation, "generation");
  expectEqual(sorted(twin.send().components), sorted(reference.emit()), "sent");
  for (const key of keys) {
    agreeOnCounts(twin, key);
    // A mark that was over may be forgotten or not when the clock is then set back.
    if (!twin.isSetBack) agreeOnMarks(twin, key);
  }
}

/** Hands a replica's checkpoint of a key to another that knows the same reset. */
export function handCheckpoint(from: Twin, to: Twin, key: number): void {
  const name = String(key);
  if (from.reference.notes.knownReset(name) !== to.reference.notes.knownReset(name)) return;
  from.store.shapes.forEach((shape, policy) => {
    const own = from.reference.bucket(name, policy);
    if (own === undefined) return;
    const checkpoint = asGrid(shape).checkpoint(numberOf(from.find(key)), from.store.clusterNow);
    expectEqual(checkpoint, own.checkpoint, "checkpoint");
    const theirs = to.reference.bucket(name, policy);
    if (theirs === undefined) return;
    const grid = asGrid(to.store.shapes[policy]!);
    const isBetter = grid.joinCheckpoint(numberOf(to.find(key)), checkpoint, to.store.clusterNow);
    expectSame(isBetter, theirs.joinCheckpoint(checkpoint), "checkpoint is better");
  });
}

/** Components in an order of their own, with every field. */
export function sorted(components: readonly ReferenceComponent[]): string[] {
  return components
    .map(({ key, policy, replica, generation, reset, opener, period, hits, refunds, refusals }) =>
      [key, policy, replica, generation, reset, opener, period, hits, refunds, refusals].join(" "),
    )
    .sort();
}

function agreeOnCounts(twin: Twin, key: number): void {
  const { store, reference, shapeCase } = twin;
  const name = String(key);
  twin.look([key]);
  twin.rules.forEach((rule, policy) => {
    const { held, refusals, endsAt } = reference.view(name, policy);
    const seen: Record<string, number> = { held: rule.usedUnits, refusals: rule.refusals };
    const due: Record<string, number> = { held, refusals };
    const windowMs = shapeCase.windowMs[policy]!;
    if (windowMs > 0) {
      seen["emptyAfter"] = rule.msUntilEmptyAfter(1);
      due["emptyAfter"] = endsAt === 0 ? windowMs : endsAt - store.now;
      for (const target of [0, 3]) {
        seen[`until${target}`] = rule.msUntilAtMost(target);
        due[`until${target}`] = reference.fallsTo(name, policy, target) - store.now;
      }
    }
    expectEqual(seen, due, `policy ${policy} of key ${key}`);
  });
}

function agreeOnMarks({ store, reference }: Twin, key: number): void {
  const name = String(key);
  const known = store.resets.known(lowOf(key), highOf(key));
  expectSame(known, reference.notes.knownReset(name), "reset");
  const marked = new MarkedWait();
  for (const limit of [10, 11]) {
    marked.read(store, lowOf(key), highOf(key), limit);
    const waitMs = reference.notes.waitMs(name, limit, store.clusterNow);
    expectSame(marked.waitMs, waitMs, `marked against limit ${limit}`);
  }
}

function asGrid(shape: Shape): GridShape {
  expect(shape).toBeInstanceOf(GridShape);
  return shape as GridShape;
}
