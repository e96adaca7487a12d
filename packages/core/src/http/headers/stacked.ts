/** Reads the fields that another limiter has written into the same response, to add to them. */

import { sharedState } from "../../runtime/copies.ts";
import type { Framework, HeaderValue } from "../framework.ts";

const writers = sharedState("writers", () => ({ count: 0 }));

/** Call this for each limiter with fields, of any generation: two generations may share a name. */
export function anotherWrites(): void {
  writers.count++;
}

/**
 * What another limiter has written into a header that has room for one limit. Reading it takes as
 * long as a key lookup. With a single limiter in this process the read is skipped, because no
 * limiter of ours wrote the header.
 */
export function writtenBefore<Response>(
  framework: Pick<Framework<never, Response>, "header">,
  response: Response,
  name: string,
): HeaderValue {
  return writers.count > 1 ? framework.header(response, name) : undefined;
}

/** Whether a limit has less remaining than the one that was written before. */
export function isNearest(before: HeaderValue, available: number, allowed: boolean): boolean {
  if (before === undefined) return true;
  const shown = /(?:^|remaining=)(\d+)/.exec(joined(before) ?? "");
  return shown === null || !allowed || available <= Number(shown[1]);
}

/** The lines of one field, combined into one. */
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
