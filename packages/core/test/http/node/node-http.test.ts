import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { omitFields } from "../../../src/http/headers/exposure.ts";
import { beforeWriteHead, type Framework } from "../../../src/http.ts";

const NODE = {
  header: (response, name) => response.getHeader(name),
  removeHeader: (response, name) => response.removeHeader(name),
  statusCode: ({ statusCode }) => statusCode,
  beforeHeaders: (response, listener) => beforeWriteHead(response, listener),
} satisfies Partial<Framework<unknown, ServerResponse>> as Framework<unknown, ServerResponse>;

/** The headers of a response that has a field, unless `omitHeaders` takes it off. */
function headersOf(answer: (response: ServerResponse) => void): OutgoingHttpHeaders {
  const response = new ServerResponse({ method: "GET", httpVersionMajor: 1 } as IncomingMessage);
  response.setHeader("RateLimit", '"a";r=1');
  omitFields(NODE, response, { redirects: true, cacheable: true }, ["RateLimit"]);
  answer(response);
  response.end();
  return response.getHeaders();
}

describe("a response of Node's", () => {
  const kept = { "Cache-Control": "public, max-age=60" };

  it("is read before it leaves, with what is handed over only then (S5)", () => {
    for (const answer of [
      (response: ServerResponse) => response.writeHead(200, kept),
      (response: ServerResponse) => response.writeHead(200, "Fine", kept),
      (response: ServerResponse) => response.writeHead(200, ["cache-control", "public"]),
      (response: ServerResponse) => response.writeHead(200, "Fine", ["EXPIRES", "Thu, 1 Jan 2099"]),
      (response: ServerResponse) => response.writeHead(302, { Location: "/" }),
      (response: ServerResponse) => response.setHeader("Cache-Control", "max-age=1").writeHead(200),
      (response: ServerResponse) => response.setHeader("Cache-Control", "max-age=1"),
    ]) {
      expect(headersOf(answer)).not.toHaveProperty("ratelimit");
    }
  });

  it("keeps its fields when headers passed to writeHead forbid caching", () => {
    for (const answer of [
      (response: ServerResponse) => response.writeHead(200),
      (response: ServerResponse) => response.writeHead(200, "Fine"),
      (response: ServerResponse) => response.writeHead(200, { "X-Other": "public" }),
      (response: ServerResponse) =>
        response.setHeader("Cache-Control", "public").writeHead(200, ["Cache-Control", "private"]),
      (response: ServerResponse) =>
        response.writeHead(200, ["Cache-Control", "max-age=9", "Cache-Control", "no-store"]),
    ]) {
      const headers = headersOf(answer);
      expect(headers).toHaveProperty("ratelimit", '"a";r=1');
    }
    expect(headersOf((response) => response.writeHead(200, kept))).toMatchObject({
      "cache-control": "public, max-age=60",
    });
  });
});
