import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import express5, { type Express, type Request } from "express";
// @ts-expect-error: its types are those of the package that it is another version of.
import express4 from "express-4";
import { describe, expect, it } from "vitest";
import { requestAddress } from "../src/request-address.ts";

const SENDER = "203.0.113.7";
const CLIENT = "198.51.100.9";

/** A request as an application hands it to its middleware. */
function requestOf(app: Express, headers: Record<string, string> = {}): Request {
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: SENDER });
  const request = new IncomingMessage(socket);
  request.headers = headers;
  return Object.setPrototypeOf(request, app.request);
}

describe.each([
  ["Express 5", express5],
  ["Express 4", express4 as typeof express5],
])("the address of a request, %s", (_version, express) => {
  it.each([
    ["believes no sender", false],
    ["believes every sender", true],
    ["believes one hop", 1],
    ["believes the sender's network", "203.0.113.0/24"],
    ["believes others", "loopback"],
    ["believes by a function", (address: string) => address === SENDER],
  ])("is what request.ip says, where an application %s", (_whom, setting) => {
    const app = express().set("trust proxy", setting);
    for (const headers of [{}, { "x-forwarded-for": `192.0.2.77, ${CLIENT}` }]) {
      const request = requestOf(app, headers as Record<string, string>);
      expect(requestAddress(request)).toBe(request.ip);
    }
  });

  it("follows the setting when it changes, and that of the application above", () => {
    const app = express();
    const below = express();
    app.use(below);
    const headers = { "x-forwarded-for": CLIENT };
    expect(requestAddress(requestOf(below, headers))).toBe(SENDER);
    app.set("trust proxy", true);
    expect(requestAddress(requestOf(app, headers))).toBe(CLIENT);
    expect(requestAddress(requestOf(below, headers))).toBe(CLIENT);
  });

  it("is the application's own, where it has one", () => {
    const headers = { "x-real-ip": CLIENT };
    const own = new WeakMap<Request, string>();
    for (const ask of [
      (request: Request) => request.get("x-real-ip") ?? request.socket.remoteAddress,
      (request: Request) => request.headers["x-real-ip"] ?? request.socket.remoteAddress,
      (request: Request & { realIp?: string }) => request.realIp ?? request.socket.remoteAddress,
      () => CLIENT,
      (request: Request) => own.get(request) ?? request.socket.remoteAddress,
      (request: Request) => {
        const sender = request.socket.remoteAddress ?? "";
        return sender.startsWith("203.") ? request.headers["x-real-ip"] : sender;
      },
    ]) {
      const app = express();
      Object.defineProperty(app.request, "ip", {
        get(this: Request) {
          return ask(this);
        },
      });
      const request = Object.assign(requestOf(app, headers), { realIp: CLIENT });
      own.set(request, CLIENT);
      expect(requestAddress(request)).toBe(CLIENT);
    }
  });

  it("is what a function of the application believes, whatever the setting says", () => {
    const app = express().set("trust proxy", false);
    app.set("trust proxy fn", (address: string) => address === SENDER);
    const request = requestOf(app, { "x-forwarded-for": CLIENT });
    expect([requestAddress(request), request.ip]).toEqual([CLIENT, CLIENT]);
  });

  it("is not read through Express where no sender is believed, which is slower", () => {
    const request = requestOf(express());
    expect(requestAddress(request)).toBe(SENDER);
    Object.defineProperty(request, "headers", {
      get: () => {
        throw new Error("asked for");
      },
    });
    expect(requestAddress(request)).toBe(SENDER);
  });

  it("is the request's own, where a middleware gave it one", () => {
    const request = requestOf(express());
    expect(requestAddress(request)).toBe(SENDER);
    Object.defineProperty(request, "ip", { value: CLIENT });
    expect(requestAddress(request)).toBe(CLIENT);
  });

  it("is undefined without a connection", () => {
    const request = Object.defineProperty(requestOf(express()), "socket", { value: undefined });
    Object.defineProperty(request, "ip", { value: undefined });
    expect(requestAddress(request)).toBeUndefined();
  });
});

it("is read in the usual way where every request has a prototype of its own", () => {
  const app = express5();
  for (let count = 0; count < 200; count++) {
    const request = Object.create(requestOf(app)) as Request;
    expect(requestAddress(request)).toBe(SENDER);
  }
});
