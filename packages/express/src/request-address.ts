/**
 * Reads the address in `request.ip`, in a quarter of the time when that is the sender's.
 *
 * Express changes the prototype of every request, which invalidates the engine's property caches:
 * each property is looked up as if for the first time. `Reflect.get` does only that lookup, while a
 * plain access also fills a cache that is never used, and `request.ip` makes six accesses. But
 * while an application trusts no proxy, `request.ip` is the address of the sender.
 *
 * The shortcut is taken only for Express's own `ip` and its own way to trust no proxy. Both are
 * recognised by their exact source text; anything else, such as a minified bundle, is read
 * normally. An `ip` that is defined after the first counted request is not noticed.
 */

import type { Request } from "express";

const EXPRESS_IP =
  "functionip(){vartrust=this.app.get('trustproxyfn');returnproxyaddr(this,trust);}";
const BELIEVES_NOBODY = "trustNone";
/**
 * The most prototypes that are checked: an application has one, and more are not worth the time.
 */
const PROTOTYPES_MAX = 64;

/** Whether an `ip` is Express's own, by the request prototype that defines it. */
const known = new WeakMap<object, boolean>();
let looked = 0;

export function requestAddress(request: Request): string | undefined {
  return isSenders(request) ? senderAddress(request) : request.ip;
}

/** The address at the other end of the connection. */
export function senderAddress(request: Request): string | undefined {
  const socket: Request["socket"] | undefined = Reflect.get(request, "socket");
  return socket?.remoteAddress;
}

function isSenders(request: Request): boolean {
  if (!hasExpressIp(Object.getPrototypeOf(request)) || Object.hasOwn(request, "ip")) return false;
  const app: { settings?: Record<string, unknown> } | undefined = Reflect.get(request, "app");
  const trusts = app?.settings?.["trust proxy fn"];
  return typeof trusts === "function" && trusts.name === BELIEVES_NOBODY;
}

function hasExpressIp(prototype: object): boolean {
  const before = known.get(prototype);
  if (before !== undefined) return before;
  if (looked >= PROTOTYPES_MAX) return false;
  looked++;
  const isExpress = textOfIp(prototype) === EXPRESS_IP;
  known.set(prototype, isExpress);
  return isExpress;
}

/** The source text of the nearest `ip`, without spaces. */
function textOfIp(prototype: object): string | undefined {
  for (let at: object | null = prototype; at !== null; at = Object.getPrototypeOf(at)) {
    const property = Object.getOwnPropertyDescriptor(at, "ip");
    // Engines that recompile it print other quotes.
    const text = property?.get?.toString().replaceAll(/\s/g, "").replaceAll('"', "'");
    if (property !== undefined) return text;
  }
  return undefined;
}
