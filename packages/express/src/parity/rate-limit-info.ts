/**
 * What handlers find on a request that has been counted.
 */

import type { Verdict, WallTime } from "@tidegate/core/http";
import type { RateLimitInfo } from "../options.ts";

export class RequestInfo implements RateLimitInfo {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetTime: Date | undefined;
  readonly key: string;

  constructor({ limit, used, remaining, resetMs, atMs }: Verdict, key: string, wall: WallTime) {
    this.limit = limit;
    this.used = used;
    this.remaining = remaining;
    this.resetTime = resetMs < Infinity ? new Date(wall.at(atMs + resetMs, atMs)) : undefined;
    this.key = key;
  }

  /** What `used` was called once; not shown when the object is. */
  get current(): number {
    return this.used;
  }
}
