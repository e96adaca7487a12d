/** Reads Node's requests and changes its responses, for every framework on top of them. */

import type { IncomingHttpHeaders } from "node:http";
import type { HeaderValue, LateHeaders } from "../framework.ts";

/**
 * A header by its name in lower case, with several lines combined. A request that a test made by
 * hand may have no headers.
 */
export function requestHeader(
  headers: IncomingHttpHeaders | undefined,
  name: string,
): string | undefined {
  const value = headers?.[name];
  return typeof value === "object" ? value.join(", ") : value;
}

/** The part of Node's `ServerResponse` that is changed here. */
export interface WritingHead {
  statusCode: number;
  writeHead(...head: never[]): unknown;
}

/** Calls `listener` right before the headers of a response are sent. */
export function beforeWriteHead(
  response: WritingHead,
  listener: (late: LateHeaders) => void,
): void {
  const { writeHead } = response;
  response.writeHead = function first(this: WritingHead, ...head: unknown[]): unknown {
    response.writeHead = writeHead;
    const [status, reason, headers] = head;
    if (typeof status === "number") response.statusCode = status;
    const late = headers ?? (typeof reason === "string" ? null : reason);
    listener((name) => headerIn(late, name));
    return Reflect.apply(writeHead, this, head);
  };
}

/** A header in the argument of `writeHead`: an object, pairs, or names and values in turn. */
function headerIn(headers: unknown, name: string): HeaderValue {
  const values = entriesOf(headers).filter(([given]) => String(given).toLowerCase() === name);
  return values.length === 0 ? undefined : values.map(([, value]) => String(value)).join(", ");
}

function entriesOf(headers: unknown): readonly (readonly [unknown, unknown])[] {
  if (!Array.isArray(headers)) return Object.entries(headers ?? {});
  if (Array.isArray(headers[0])) return headers;
  return headers.flatMap((given, index) => (index % 2 === 0 ? [[given, headers[index + 1]]] : []));
}
