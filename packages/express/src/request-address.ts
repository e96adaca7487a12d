/**
 * The address in `request.ip`, in a quarter of the time where that is the sender's.
 *
 * Express changes the prototype of every request, and with it what an engine has learned of requests:
 * each property is searched for as if for the first time. `Reflect.get` does that and no more, where a
 * plain access also prepares for a next time that never comes, and `request.ip` makes six of them. But
 * while an application trusts no proxy, it is the address of the sender.
 *
 * Only Express's own `ip` may be passed over, and its own way to trust no proxy. Both are known by what
 * they are, to the letter: whatever looks otherwise, as in a bundle with short names, is asked as usual.
 * An `ip` that applications get after a request has been counted is not noticed.
 */

import type { Request } from "express";

const EXPRESS_IP =
  "functionip(){vartrust=this.app.get('trustproxyfn');returnproxyaddr(this,trust);}";
const BELIEVES_NOBODY = "trustNone";
/** How many prototypes are looked at: an application has one, and who makes more is not worth it. */
const PROTOTYPES_MAX = 64;

/** Whether an `ip` is Express's own, by the prototype of requests that has it. */
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

/** The nearest `ip` as it was written, without spaces. */
function textOfIp(prototype: object): string | undefined {
  for (let at: object | null = prototype; at !== null; at = Object.getPrototypeOf(at)) {
    const property = Object.getOwnPropertyDescriptor(at, "ip");
    // Engines that compile it anew show other quotes.
    const text = property?.get?.toString().replaceAll(/\s/g, "").replaceAll('"', "'");
    if (property !== undefined) return text;
  }
  return undefined;
}
