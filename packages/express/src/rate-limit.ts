/**
 * The middleware: asks the gate about each request, and sends refusals through Express.
 *
 * An allowed request continues in the same tick, unless a user's function or a store returns a
 * promise. Then the middleware returns a promise, for code that calls it directly. It settles when
 * the request has been passed on or refused.
 */

import {
  type EventualOutcome,
  isByLimit,
  isThenable,
  type KeyAnswer,
  keyOf,
  type NeededBy,
  type Outcome,
  type Preset,
  type Refusal,
  showLimiters,
  storedKey,
} from "@tidegate/core/http";
import type { NextFunction, Request, Response } from "express";
import type { RateLimitOptions, RateLimitRequestHandler } from "./options.ts";
import { GateStore } from "./parity/gate-store.ts";
import type { ClientRateLimitInfo, Store } from "./parity/peer-types.ts";
import { sendRefusal } from "./send-refusal.ts";
import { type Settings, translate } from "./translate.ts";

/**
 * Makes a middleware that limits how often clients may send requests.
 *
 * @example
 * app.use(rateLimit({ windowMs: 15 * MINUTE, limit: 100 }));
 */
export function rateLimit<const Chosen extends Preset>(
  options?: RateLimitOptions & { readonly preset?: Chosen | undefined } & NeededBy<
      Chosen,
      "policies" | "max" | "limit"
    >,
): RateLimitRequestHandler {
  const settings = translate(options);
  const { gate } = settings;

  function middleware(
    request: Request,
    response: Response,
    next: NextFunction,
  ): Promise<void> | undefined {
    let answer: EventualOutcome;
    try {
      answer = gate.enter(request, response);
    } catch (error) {
      next(error);
      return undefined;
    }
    if (answer instanceof Promise) {
      return answer.then((outcome) => goOn(outcome, request, response, next), next);
    }
    return goOn(answer, request, response, next);
  }

  function goOn(
    outcome: Outcome,
    request: Request,
    response: Response,
    next: NextFunction,
  ): Promise<void> | undefined {
    if (outcome !== null) return refuse(settings, outcome, request, response, next);
    next();
    return undefined;
  }

  return Object.defineProperties(showLimiters<RateLimitRequestHandler>(middleware, gate), {
    resetKey: { value: (key: KeyAnswer) => resetKey(settings, key), enumerable: true },
    getKey: { value: (key: KeyAnswer) => getKey(settings, key), enumerable: true },
  });
}

function refuse(
  { gate, handler, message, used }: Settings,
  refusal: Refusal,
  request: Request,
  response: Response,
  next: NextFunction,
): Promise<void> | undefined {
  try {
    gate.announce(request, response, refusal);
    const sent: unknown =
      handler !== undefined && isByLimit(refusal)
        ? handler(request, response, next, used)
        : sendRefusal(request, response, refusal, message);
    if (isThenable(sent)) return Promise.resolve(sent).then(ignore, next);
  } catch (error) {
    next(error);
  }
  return undefined;
}

/** The middleware resolves with nothing, whatever a handler resolves with. */
function ignore(): void {}

function resetKey({ store }: Settings, given: KeyAnswer): Promise<void> | void {
  const key = storeKey(store, given);
  if (key !== null) return store.resetKey(key);
}

function getKey(
  { store }: Settings,
  given: KeyAnswer,
): Promise<ClientRateLimitInfo | undefined> | ClientRateLimitInfo | undefined {
  if (typeof store.get !== "function") {
    throw new Error("The current store does not support the get/getKey method");
  }
  const key = storeKey(store, given);
  return key === null ? undefined : store.get(key);
}

/** A key as the store received it when a request was counted; null where there is none. */
function storeKey(store: Store, given: KeyAnswer): string | null {
  const key = keyOf(given);
  // A store of ours takes keys unchanged, including bytes.
  return key === null || store instanceof GateStore ? (key as string | null) : storedKey(key);
}
