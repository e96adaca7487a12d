/**
 * The options as handlers and stores receive them, with defaults filled in as in
 * express-rate-limit.
 */

import {
  addressReader,
  emitWarning,
  type GateOptions,
  ipKeyGenerator,
  onlyGiven,
} from "@tidegate/core/http";
import type { Request, Response } from "express";
import { EXPRESS } from "../express-framework.ts";
import type { Options, RateLimitOptions } from "../options.ts";
import { DEFAULTS, policyName } from "./defaults.ts";
import type { RateLimitInfo, Store } from "./peer-types.ts";

/** Receives warnings when there is no logger. */
const LOGGER: Options["logger"] = { error: emit, warn: emit };

/** @param store the counter, as a store */
export function usedOptions(
  given: Partial<RateLimitOptions>,
  { limit, legacyHeaders, windowMs }: GateOptions<Request, Response>,
  store: Store,
): Options {
  const { validate = true, standardHeaders, preset = "parity" } = given;
  const addressOf = addressReader(EXPRESS, given);
  const used = {
    ...DEFAULTS,
    skip: () => false,
    requestWasSuccessful: (_request: Request, { statusCode }: Response) => statusCode < 400,
    logger: LOGGER,
    ...given,
    ...onlyGiven({ limit, legacyHeaders, windowMs }),
    ...(typeof windowMs === "function" && { windowMs: DEFAULTS.windowMs }),
    ...(standardHeaders === true && {
      standardHeaders: preset === "parity" ? "draft-6" : "draft-11",
    }),
    store,
    keyGenerator:
      given.key ??
      given.id ??
      given.keyGenerator ??
      ((request: Request, response: Response) => byAddress(request, response)),
    validate:
      typeof validate === "boolean" ? { default: validate } : { default: true, ...validate },
  } as unknown as Options;
  const { requestPropertyName: property, ipv6Subnet: subnet } = used;

  async function byAddress(request: Request, response: Response): Promise<string> {
    const ip = addressOf(request) ?? "";
    if (typeof subnet !== "function") return ipKeyGenerator(ip, subnet);
    return ipKeyGenerator(ip, ip.includes(":") ? await subnet(request, response) : false);
  }

  function identifier(request: Request): string {
    const info: RateLimitInfo | undefined = Reflect.get(request, property);
    return policyName(info?.limit ?? DEFAULTS.limit, used.windowMs);
  }

  return { ...used, identifier: given.identifier ?? identifier };
}

function emit(error: unknown, message?: string): void {
  const isWhole = error instanceof Error && message === undefined;
  const text = `${message ?? ""} ${String(error)}`.trim();
  emitWarning(isWhole ? error : { name: "Warning", message: text });
}
