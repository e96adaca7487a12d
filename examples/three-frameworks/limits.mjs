// @ts-check
// The same in all three, so that they count towards one limit.

import { MINUTE } from "@tidegate/core";

export const limits = /** @type {const} */ ({
  preset: "api",
  name: "demo",
  limit: 12,
  windowMs: MINUTE,
});
