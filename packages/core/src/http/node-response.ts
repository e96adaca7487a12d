/**
 * What can be done with a response of Node's own, under whichever framework it is.
 */

/** The part of Node's `ServerResponse` that is changed here. */
export interface WritingHead {
  statusCode: number;
  writeHead(...head: never[]): unknown;
}

/** Calls `listener` right before the headers of a response are sent. */
export function beforeWriteHead(response: WritingHead, listener: () => void): void {
  const { writeHead } = response;
  response.writeHead = function first(this: WritingHead, ...head: unknown[]): unknown {
    response.writeHead = writeHead;
    if (typeof head[0] === "number") response.statusCode = head[0];
    listener();
    return Reflect.apply(writeHead, this, head);
  };
}
