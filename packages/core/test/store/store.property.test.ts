/**
 * The store agrees with its reference, whatever happens to it and in whatever order.
 */

import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, it } from "vitest";
import { history, live } from "./history.ts";
import { SHAPE_CASES } from "./shape-cases.ts";

describe("the store is indistinguishable from the reference", () => {
  for (const shape of SHAPE_CASES) {
    it(`on ${shape.name}`, () => {
      fc.assert(
        fc.property(history, (options) => live(shape, options)),
        seededRuns(40),
      );
    });
  }
});
