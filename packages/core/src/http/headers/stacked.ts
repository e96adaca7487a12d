/**
 * What another limiter has written into the same response, and how to add to it.
 */

import { sharedState } from "../../runtime/copies.ts";
import type { Framework, HeaderValue } from "../framework.ts";

const writers = sharedState("writers", () => ({ count: 0 }));

/** To be called for each limiter that has fields, of any generation: two generations may share a name. */
export function anotherWrites(): void {
  writers.count++;
}

/**
 * What another limiter has written into a header with room for one limit only. Looking takes as long as finding
 * a key. So it is left out if this process has one limiter with fields: then the header is not from a limiter of ours.
 */
export function writtenBefore<Response>(
  framework: Pick<Framework<never, Response>, "header">,
  response: Response,
  name: string,
): HeaderValue {
  return writers.count > 1 ? framework.header(response, name) : undefined;
}

/** Whether a limit has less left than the one that was written before it. */
export function isNearest(before: HeaderValue, available: number, allowed: boolean): boolean {
  if (before === undefined) return true;
  const shown = /(?:^|remaining=)(\d+)/.exec(joined(before) ?? "");
  return shown === null || !allowed || available <= Number(shown[1]);
}

/** Lines of one field as the one line that they mean. */
export function joined(value: HeaderValue): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return typeof value === "number" ? String(value) : value.join(", ");
}

/** In the older drafts no two policies of a list may have the same quota, and none may be missing. */
export function withoutTwins(list: string): string {
  const quotas = new Set<string>();
  const kept = list.split(/,\s*/).filter((member) => {
    const quota = member.split(";")[0]!.trim();
    if (quota === "" || quotas.has(quota)) return false;
    quotas.add(quota);
    return true;
  });
  return kept.join(", ");
}
