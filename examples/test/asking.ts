/**
 * Requests as clients send them, and what they are answered.
 */

import { type Agent, request } from "node:http";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export interface Question {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Keeps connections for further requests; without one, each request has a connection of its own. */
  readonly agent?: Agent;
}

/** Sends a request. */
export function ask(address: string, question: Question = {}): Promise<Answer> {
  const { path = "/", method = "GET", headers = {}, body, agent = false } = question;
  const json = body === undefined ? {} : { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, address),
      { method, headers: { ...headers, ...json }, agent },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part) => {
          text += part;
        });
        response.once("error", reject);
        response.once("end", () => {
          const { statusCode = 0, headers } = response;
          resolve({ status: statusCode, headers: headers as Answer["headers"], text });
        });
      },
    );
    sent.once("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
