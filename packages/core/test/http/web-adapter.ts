/**
 * The adapter of docs/guides/writing-an-adapter.md, letter by letter below this comment.
 */

import {
  type EndListener,
  type Framework,
  type GateOptions,
  makeGate,
  PROBLEM_TYPE,
  type Refusal,
  type ResponseEnd,
} from "@tidegate/core/http";

export type Handler = (request: Request) => Response | Promise<Response>;

/** What is known of a response before there is one. */
class Reply {
  readonly headers = new Headers();
  readonly beforeSending: Parameters<Framework<Request, Reply>["beforeHeaders"]>[1][] = [];
  readonly listeners: EndListener[] = [];
  status = 200;

  /** The response of a handler, with the headers that the gate has written. */
  complete(response: Response): Response {
    this.status = response.status;
    for (const listener of this.beforeSending) {
      listener((name) => response.headers.get(name) ?? undefined);
    }
    const headers = new Headers(response.headers);
    // Appended, since another limit further inside may have written some as well.
    for (const [name, value] of this.headers) headers.append(name, value);
    const { status, statusText } = response;
    return new Response(response.body, { status, statusText, headers });
  }

  end(how: ResponseEnd): void {
    for (const listener of this.listeners) listener.ended(how);
  }
}

/** @param addressOf the client's address, which servers provide in different ways */
export function rateLimit(
  options: GateOptions<Request, Reply>,
  addressOf: (request: Request) => string | undefined,
): (handler: Handler) => Handler {
  const framework: Framework<Request, Reply> = {
    method: (request) => request.method,
    requestHeader: (request, name) => request.headers.get(name) ?? undefined,
    address: addressOf,
    header: (reply, name) => reply.headers.get(name) ?? undefined,
    setHeader: (reply, name, value) => reply.headers.set(name, value),
    removeHeader: (reply, name) => reply.headers.delete(name),
    headersSent: () => false,
    statusCode: (reply) => reply.status,
    beforeHeaders: (reply, listener) => reply.beforeSending.push(listener),
    followEnd: (reply, listener) => {
      reply.listeners.push(listener);
      // Only called where the gate is made with `showsHandlers`.
      return { handling: () => {} };
    },
  };
  const gate = makeGate(options, { framework });

  return (handler) => async (request) => {
    const reply = new Reply();
    const refusal = await gate.enter(request, reply);
    try {
      if (refusal !== null) gate.announce(request, reply, refusal);
      const response = refusal === null ? await handler(request) : refused(refusal);
      const complete = reply.complete(response);
      reply.end("sent");
      return complete;
    } catch (error) {
      reply.end("failed");
      throw error;
    }
  };
}

function refused({ status, problem }: Refusal): Response {
  const type = problem === null ? "text/plain" : PROBLEM_TYPE;
  const text = problem ?? "This request is refused.";
  return new Response(text, { status, headers: { "Content-Type": type } });
}
