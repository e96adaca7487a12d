/**
 * What another limiter has written into the same response, and how to add to it.
 */

import { sharedState } from "../../runtime/copies.ts";
import type { Framework, HeaderValue } from "../framework.ts";

const tellers = sharedState("tellers", () => ({ count: 0 }));

/** To be called for each limiter that has fields, whichever: those of two generations may have one name. */
export function anotherTells(): void {
  tellers.count++;
}

/**
 * What has been told in a header with room for one limit only. To look takes up to as long as to find a
 * key, so who is the only one in this process does not: what is there then is not from a limiter of ours.
 */
export function toldBefore<Response>(
  framework: Pick<Framework<never, Response>, "header">,
  response: Response,
  name: string,
): HeaderValue {
  return tellers.count > 1 ? framework.header(response, name) : undefined;
}

/** Whether a limit has less left than the one that was told before it. */
export function isNearest(before: HeaderValue, available: number, allowed: boolean): boolean {
  if (before === undefined) return true;
  const told = /(?:^|remaining=)(\d+)/.exec(joined(before) ?? "");
  return told === null || !allowed || available <= Number(told[1]);
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
