/**
 * What can be done with a response of Node's own, under whichever framework it is.
 */

import type { HeaderValue, LateHeaders } from "../framework.ts";

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

/** A header in what `writeHead` is given: an object, pairs, or names and values in turn. */
function headerIn(headers: unknown, name: string): HeaderValue {
  const values = entriesOf(headers).filter(([given]) => String(given).toLowerCase() === name);
  return values.length === 0 ? undefined : values.map(([, value]) => String(value)).join(", ");
}

function entriesOf(headers: unknown): readonly (readonly [unknown, unknown])[] {
  if (!Array.isArray(headers)) return Object.entries(headers ?? {});
  if (Array.isArray(headers[0])) return headers;
  return headers.flatMap((given, index) => (index % 2 === 0 ? [[given, headers[index + 1]]] : []));
}
