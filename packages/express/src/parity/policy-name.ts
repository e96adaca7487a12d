/**
 * How express-rate-limit calls a limit in fields: by its numbers, such as `5-in-1min`.
 */

import { DAY, HOUR, MINUTE, SECOND } from "@tidegate/core";

export function policyName(limit: number, windowMs: number): string {
  return `${limit}-in-${duration(windowMs)}`;
}

function duration(ms: number): string {
  if (ms < MINUTE) return `${ms / SECOND}sec`;
  if (ms < HOUR) return `${ms / MINUTE}min`;
  if (ms < DAY) return `${ms / HOUR}hr${ms > HOUR ? "s" : ""}`;
  return `${ms / DAY}day${ms > DAY ? "s" : ""}`;
}
