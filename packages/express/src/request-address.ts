/**
 * The address in `request.ip`, in a quarter of the time where that is the sender's.
 *
 * Express changes the prototype of every request, and with it what an engine has learned of requests:
 * each property is searched for as if for the first time. `Reflect.get` does that and no more, where a
 * plain access also prepares for a next time that never comes, and `request.ip` makes six of them. But
 * while an application believes no proxy it is the address of whoever sent the request.
 *
 * Applications may have an `ip` of their own. So what it reads is watched, once for each prototype of
 * requests; an `ip` that is put there after a request has been counted is not noticed.
 */

import type { Request } from "express";

/** How many prototypes are looked at: an application has one, and who makes more is not worth it. */
const PROTOTYPES_MAX = 64;
const SENDER = "192.0.2.1";
const FORWARDED = "192.0.2.2";

/** Whether an `ip` is Express's own, by the prototype that it was found on. */
const known = new WeakMap<object, boolean>();
let watched = 0;

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
  return app?.settings !== undefined && !app.settings["trust proxy"];
}

function hasExpressIp(prototype: object): boolean {
  const before = known.get(prototype);
  if (before !== undefined) return before;
  if (watched >= PROTOTYPES_MAX) return false;
  watched++;
  const isExpress = readsAsExpressDoes(prototype);
  known.set(prototype, isExpress);
  return isExpress;
}

/** Whether `ip` asks for nothing but what Express asks for, and answers as it does. */
function readsAsExpressDoes(prototype: object): boolean {
  const asked = new Set<unknown>();
  const noting = (target: object): object =>
    new Proxy(target, {
      get: (from, name) => {
        asked.add(name);
        return Reflect.get(from, name);
      },
    });
  const app = {
    get: (setting: string) => {
      asked.add(setting);
      return () => false;
    },
  };
  const headers = noting({ "x-forwarded-for": FORWARDED });
  try {
    const request = noting({ app, headers, socket: { remoteAddress: SENDER } });
    if (Reflect.get(prototype, "ip", request) !== SENDER) return false;
  } catch {
    return false;
  }
  for (const name of ["app", "trust proxy fn", "headers", "x-forwarded-for", "socket"]) {
    asked.delete(name);
  }
  return asked.size === 0;
}
