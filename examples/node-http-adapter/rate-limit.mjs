// @ts-check
// An adapter for servers of node:http: a function to call before a request is handled.

import { STATUS_CODES } from "node:http";
import {
  beforeWriteHead,
  followServerResponse,
  makeGate,
  optionsIn,
  PROBLEM_TYPE,
  requestHeader,
  showLimiters,
} from "@tidegate/core/http";

/** @param {Request} request */
const senderOf = (request) => request.socket.remoteAddress;

/** @type {Framework} */
const NODE_HTTP = {
  method: (request) => request.method,
  requestHeader: (request, name) => requestHeader(request.headers, name),
  address: senderOf,
  socketAddress: senderOf,
  connection: (request) => request.socket,
  header: (response, name) => response.getHeader(name),
  setHeader: (response, name, value) => response.setHeader(name, value),
  removeHeader: (response, name) => response.removeHeader(name),
  headersSent: (response) => response.headersSent,
  statusCode: (response) => response.statusCode,
  beforeHeaders: beforeWriteHead,
  followEnd: followServerResponse,
};

/**
 * Limits requests to a server of node:http.
 *
 * @param {Options} options those of all adapters, and `address`: the client's address behind a proxy
 * @returns {Middleware}
 */
export function rateLimit(options) {
  const { address, ...given } = optionsIn("rateLimit", options);
  /** @type {Framework} */
  const framework = address
    ? { ...NODE_HTTP, address }
    : { ...NODE_HTTP, proxyTrust: () => "none" };
  const gate = makeGate(given, { framework });

  /** @type {Limit} */
  function limited(request, response, next) {
    /** @param {Outcome} outcome */
    const go = (outcome) => {
      if (outcome === null) return next();
      gate.announce(request, response, outcome);
      refuse(response, outcome);
    };
    let outcome;
    try {
      outcome = gate.enter(request, response);
    } catch (error) {
      return next(error);
    }
    // An error of the application in `next` is not passed to `next` again.
    if (outcome instanceof Promise) outcome.then(go, next);
    else go(outcome);
  }

  return showLimiters(Object.assign(limited, { close: () => gate.close() }), gate);
}

/** @param {Response} response @param {Refusal} refusal */
function refuse(response, { status, problem }) {
  if (response.headersSent) {
    // A function of the user's answered late: a response has begun, and can only be ended.
    if (!response.writableEnded) response.end();
    return;
  }
  response.statusCode = status;
  response.setHeader("Content-Type", problem === null ? "text/plain" : PROBLEM_TYPE);
  response.end(problem ?? STATUS_CODES[status]);
}

/** @typedef {import("node:http").IncomingMessage} Request */
/** @typedef {import("node:http").ServerResponse} Response */
/** @typedef {import("@tidegate/core/http").Framework<Request, Response>} Framework */
/** @typedef {import("@tidegate/core/http").Outcome} Outcome */
/** @typedef {import("@tidegate/core/http").Refusal} Refusal */
/** @typedef {import("@tidegate/core").Limiter} Limiter */
/**
 * @typedef {import("@tidegate/core/http").GateOptions<Request, Response> & {
 *   readonly address?: ((request: Request) => string | undefined) | undefined,
 * }} Options
 */
/** @typedef {(request: Request, response: Response, next: (error?: unknown) => void) => void} Limit */
/**
 * @typedef {Limit & {
 *   readonly close: () => void,
 *   readonly limiter: Limiter | null,
 *   readonly limiters: readonly Limiter[],
 * }} Middleware
 */
