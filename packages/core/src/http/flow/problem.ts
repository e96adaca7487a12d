/**
 * Refusals as problem details (RFC 9457), made once for each set of policies that can refuse
 * together.
 *
 * A body does not depend on the client or the time: the wait is in Retry-After. So a refusal stays
 * the cheapest response of a server.
 */

import { STATUS_CODES } from "node:http";
import type { RefusalReason } from "../../base/decision.ts";

/** The text for a request that can never pass. */
export const NEVER_PASSES = "This request costs more than the limit allows and can never pass.";

const REGISTRY = "https://iana.org/assignments/http-problem-types#";
const BLANK = "about:blank";

/** Why a request was refused: by a limit or a mark, by a list, or because of an internal error. */
export type RefusedBy = RefusalReason | "list" | "address" | "error";

/** The subject of a body, which may also be a cost above the limit. */
type About = RefusedBy | "cost";

interface Kind {
  readonly type: string;
  readonly title: string;
}

const EXCEEDED: Kind = { type: "quota-exceeded", title: "Quota Exceeded" };
const REDUCED: Kind = { type: "temporary-reduced-capacity", title: "Temporary Reduced Capacity" };
const ABNORMAL: Kind = { type: "abnormal-usage-detected", title: "Abnormal Usage Detected" };

export class Problems {
  readonly #type: string | undefined;
  readonly #bodies = new Map<string, string>();

  /** @param type the type of all problems instead of the default; `about:blank` for none */
  constructor(type: string | undefined) {
    this.#type = type;
  }

  /** @param names the policies that refused, by their names in fields */
  body(reason: About, status: number, names: readonly string[]): string {
    const id = [reason, status, ...names].join("\n");
    let body = this.#bodies.get(id);
    if (body === undefined) {
      body = JSON.stringify(this.#problem(reason, status, names));
      if (this.#bodies.size < 64) this.#bodies.set(id, body);
    }
    return body;
  }

  #problem(reason: About, status: number, names: readonly string[]): object {
    const kind = kindOf(reason);
    const type = this.#type ?? (kind === null ? BLANK : REGISTRY + kind.type);
    const phrase = STATUS_CODES[status] ?? "Refused";
    return {
      type,
      title: type === BLANK || kind === null ? phrase : kind.title,
      status,
      detail: detailOf(reason, names),
      ...(names.length > 0 && { "violated-policies": names }),
    };
  }
}

function kindOf(reason: About): Kind | null {
  switch (reason) {
    case "limit":
    case "cost":
    case "drain":
    case "address":
      return EXCEEDED;
    case "block":
    case "penalty":
      return ABNORMAL;
    case "partition":
    case "error":
      return REDUCED;
    default:
      return null;
  }
}

function detailOf(reason: About, names: readonly string[]): string {
  const wait = "Retry-After says how long to wait.";
  switch (reason) {
    case "list":
      return "This client is not served.";
    case "cost":
      return NEVER_PASSES;
    case "partition":
    case "error":
      return `Requests cannot be counted at the moment. ${wait}`;
    case "block":
      return `This client is blocked for now. ${wait}`;
    case "penalty":
      return `Too many requests were refused before this one. ${wait}`;
    default:
      return names.length === 0
        ? `Too many requests. ${wait}`
        : `Nothing is left for this request under ${names.join(", ")}. ${wait}`;
  }
}
