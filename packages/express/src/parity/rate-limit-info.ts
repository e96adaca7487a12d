/** The object that handlers find on a counted request. */

import type { Verdict, WallTime } from "@tidegate/core/http";
import type { RateLimitInfo } from "./peer-types.ts";

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

  /** The former name of `used`; not shown when the object is printed. */
  get current(): number {
    return this.used;
  }
}
