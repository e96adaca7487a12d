/** Reads rate-limit fields of responses with an independent parser. */

import assert from "node:assert/strict";
import { parseDictionary, parseItem, parseList } from "structured-headers";
import type { Response } from "supertest";
import type { Site } from "./site.ts";

/** A header of a response, which must be present. */
export function field({ headers }: Response, name: string): string {
  const value: unknown = headers[name.toLowerCase()];
  assert.equal(typeof value, "string", `${name} is missing`);
  return value as string;
}

/** The parameters of the members of a list, by their names. */
export function members(value: string): Map<string, Map<string, unknown>> {
  return new Map(
    parseList(value).map(([name, parameters]) => [
      String(name),
      new Map<string, unknown>(parameters),
    ]),
  );
}

export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function checkLists(response: Response): void {
  const quotas = members(field(response, "RateLimit-Policy"));
  const limits = members(field(response, "RateLimit"));
  assert.equal(parseList(field(response, "RateLimit")).length, limits.size);
  for (const [name, parameters] of quotas) {
    assert.ok(isCount(parameters.get("q")), `${name}: q`);
    if (parameters.has("w")) assert.ok((parameters.get("w") as number) >= 1, `${name}: w`);
    if (parameters.has("qu")) assert.equal(parameters.get("qu"), "concurrent-requests");
  }
  for (const [name, parameters] of limits) {
    assert.ok(quotas.has(name), `${name} is not in RateLimit-Policy`);
    assert.ok(isCount(parameters.get("r")), `${name}: r`);
    if (parameters.has("t")) assert.ok(isCount(parameters.get("t")), `${name}: t`);
  }
}

export function checkOlder(response: Response, draft: string): void {
  const quotas = parseList(field(response, "RateLimit-Policy"));
  assert.equal(new Set(quotas.map(([quota]) => quota)).size, quotas.length);
  for (const [quota, parameters] of quotas) {
    assert.ok(isCount(quota) && isCount(parameters.get("w")));
  }
  if (draft === "draft-6") {
    for (const name of ["Limit", "Remaining", "Reset"]) {
      assert.ok(isCount(parseItem(field(response, `RateLimit-${name}`))[0]), name);
    }
    return;
  }
  const entries = parseDictionary(field(response, "RateLimit"));
  for (const key of ["limit", "remaining", "reset"]) assert.ok(isCount(entries.get(key)?.[0]), key);
}

export async function refuse(site: Site): Promise<Response> {
  for (let index = 0; index < 50; index++) {
    const response = await site.get();
    if (response.status !== 200) return response;
  }
  throw new Error("nothing was refused");
}

/** The key of a site's only client. */
export const CLIENT = "127.0.0.1";

export function rawLines(response: Response, name: string): number {
  const { rawHeaders } = (response as unknown as { res: { rawHeaders: string[] } }).res;
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}
