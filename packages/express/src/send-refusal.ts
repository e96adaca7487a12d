/**
 * Sends a refusal in Express when no `handler` is given: with `res.send`, as express-rate-limit
 * does, so that wrappers of `res.send` see it.
 */

import { STATUS_CODES } from "node:http";
import {
  isByLimit,
  isThenable,
  NEVER_PASSES,
  PROBLEM_TYPE,
  type Refusal,
} from "@tidegate/core/http";
import type { Request, Response } from "express";
import { DEFAULTS } from "./parity/defaults.ts";

/**
 * Sends a refusal, with the user's message or the default; returns a promise only if the message is
 * one.
 */
export function sendRefusal(
  request: Request,
  response: Response,
  refusal: Refusal,
  message: unknown,
): Promise<void> | undefined {
  if (response.headersSent) {
    // The application has begun its response, so this can only end it.
    if (!response.writableEnded) response.end();
    return undefined;
  }
  response.status(refusal.status);
  const isLimited = isByLimit(refusal);
  if (refusal.problem !== null && !(isLimited && message !== undefined)) {
    response.setHeader("Content-Type", PROBLEM_TYPE);
    send(response, refusal.problem);
    return undefined;
  }
  if (!isLimited) {
    send(response, STATUS_CODES[refusal.status]);
    return undefined;
  }
  const usual = refusal.neverPasses ? NEVER_PASSES : DEFAULTS.message;
  const own: unknown = message === undefined ? usual : message;
  const body: unknown = typeof own === "function" ? own(request, response) : own;
  if (!isThenable(body)) {
    if (!response.writableEnded) send(response, body);
    return undefined;
  }
  return Promise.resolve(body).then((later) => {
    if (!response.writableEnded) send(response, later);
  });
}

/** Sends a body without the ETag that Express would add: no cache may keep or revalidate it. */
function send(response: Response, body: unknown): void {
  const end: Response["end"] | undefined = response.end;
  if (end === undefined) {
    response.send(body);
    return;
  }
  response.end = function once(this: Response, ...chunk: unknown[]): Response {
    response.end = end;
    if (!response.headersSent) response.removeHeader("ETag");
    return Reflect.apply(end, this, chunk) as Response;
  } as Response["end"];
  response.send(body);
}
