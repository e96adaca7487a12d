import { EventEmitter } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { awaitHandler } from "../../../src/http/node/response-end.ts";
import { concurrency, SECOND } from "../../../src/index.ts";
import { type FakeOptions, FakeRequest, FakeResponse, Stand } from "../exchange.ts";

const HOLDING: FakeOptions = { policies: [concurrency({ limit: 9 })] };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  Stand.closeAll();
  vi.runAllTimers();
  // Before what it was put over: in the other order a spy on a timer would bring back a fake one.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A socket as a client leaves it that has hung up. */
class FakeSocket extends EventEmitter {
  destroyed = true;
  readableEnded = true;
  errored: Error | null = null;
  timeout: number | undefined;
  readonly server = new EventEmitter();
}

/** What a handler's promise is, settled when a test says so. */
class Handling {
  readonly #settled: (() => void)[] = [];

  readonly settle = (): void => {
    for (const settled of this.#settled) settled();
  };

  // biome-ignore lint/suspicious/noThenProperty: it stands for a promise that settles at once.
  then(onFulfilled: () => void): void {
    this.#settled.push(onFulfilled);
  }
}

/** What is used under a limiter while a request is handled, and after each step. */
function usedAfter(
  options: FakeOptions,
  properties: object,
  ...steps: readonly ((response: FakeResponse, stand: Stand) => unknown)[]
): number[] {
  const stand = new Stand(options, { showsHandlers: true });
  const response = Object.assign(new FakeResponse(), properties);
  stand.enter(new FakeRequest(), response);
  return steps.map((step) => {
    step(response, stand);
    return stand.gate.limiter?.inspect("192.0.2.1").results[0]?.used ?? 0;
  });
}

const hangUp = (response: FakeResponse) => response.breakOff();
const end = (response: FakeResponse) => response.end();
const destroy = (response: FakeResponse) => response.destroy();
const wait = (ms: number) => () => vi.advanceTimersByTime(ms);

describe("a request whose client has hung up", () => {
  it("holds its permit until its handler has ended the response", () => {
    expect(usedAfter(HOLDING, {}, hangUp, wait(59 * SECOND), end)).toEqual([1, 1, 0]);
    Stand.closeAll();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("holds it until the framework says that the handler is done, also if it was before", () => {
    const handling = new Handling();
    const begin = (response: FakeResponse, { gate }: Stand) => gate.handling(response, handling);
    const settle = () => handling.settle();
    expect(usedAfter(HOLDING, {}, begin, hangUp, settle)).toEqual([1, 1, 0]);
    expect(usedAfter(HOLDING, {}, hangUp, begin, settle)).toEqual([1, 1, 0]);
    expect(usedAfter(HOLDING, {}, begin, settle, hangUp)).toEqual([1, 1, 0]);
    expect(usedAfter(HOLDING, {}, begin, settle, end)).toEqual([1, 1, 0]);
    Stand.closeAll();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("holds it until all that went through one limiter twice is done", () => {
    const handling = new Handling();
    const again = (response: FakeResponse, stand: Stand) => {
      stand.enter(new FakeRequest(), response);
      stand.gate.handling(response, handling);
      handling.settle();
    };
    expect(usedAfter(HOLDING, {}, again, hangUp)).toEqual([2, 0]);
  });

  it("holds it until its handler has destroyed the response, which has no effect any more", () => {
    expect(usedAfter(HOLDING, {}, hangUp, destroy)).toEqual([1, 0]);
    expect(usedAfter(HOLDING, { destroy: undefined }, hangUp, end)).toEqual([1, 0]);
  });

  it("holds it until its stream has been unpiped and is not written any more", () => {
    const unpipe = (response: FakeResponse) => response.emit("unpipe", new Readable());
    expect(usedAfter(HOLDING, {}, unpipe, hangUp, unpipe)).toEqual([1, 1, 0]);
    for (const close of ["end", "destroy"] as const) {
      const stream = new PassThrough();
      const unpipeFed = (response: FakeResponse) => response.emit("unpipe", stream);
      expect(usedAfter(HOLDING, {}, hangUp, unpipeFed, () => stream[close]())).toEqual([1, 1, 0]);
      expect(usedAfter(HOLDING, {}, hangUp, unpipeFed)).toEqual([1, 0]);
    }
  });

  it("holds it until what is streamed in vain has been destroyed", () => {
    const stream = new Readable();
    const pipe = (response: FakeResponse) => response.emit("pipe", stream);
    expect(usedAfter(HOLDING, {}, hangUp, pipe, () => stream.destroy())).toEqual([1, 1, 0]);
  });

  it("holds it, whatever becomes of streams, while the framework has a handler's promise", () => {
    const begin = (response: FakeResponse, { gate }: Stand) =>
      gate.handling(response, new Handling());
    const unpipe = (response: FakeResponse) => response.emit("unpipe", new Readable());
    expect(usedAfter(HOLDING, {}, begin, hangUp, unpipe, destroy, end)).toEqual([1, 1, 1, 1, 0]);
    const destroyed = { socket: new FakeSocket(), errored: undefined };
    expect(usedAfter(HOLDING, destroyed, begin, hangUp, end)).toEqual([1, 1, 0]);
    const nothing = (response: FakeResponse, { gate }: Stand) => gate.handling(response, undefined);
    expect(usedAfter(HOLDING, {}, nothing, hangUp, unpipe)).toEqual([1, 1, 0]);
  });

  it("holds it for holdAfterHangUpMs at most, with a timer that keeps no process alive", () => {
    expect(usedAfter(HOLDING, {}, hangUp, wait(59_999), wait(1))).toEqual([1, 1, 0]);
    const short = { ...HOLDING, holdAfterHangUpMs: 5 };
    expect(usedAfter(short, {}, hangUp, wait(4), wait(1), end)).toEqual([1, 1, 0, 0]);
    expect(usedAfter({ ...HOLDING, holdAfterHangUpMs: 0 }, {}, hangUp)).toEqual([0]);
    const setTimer = vi.spyOn(globalThis, "setTimeout");
    usedAfter(HOLDING, {}, hangUp);
    const timer = setTimer.mock.results.at(-1)?.value as NodeJS.Timeout;
    expect(timer.hasRef()).toBe(false);
  });

  it("holds it while its handler goes on to write, which fails", () => {
    const write = (response: FakeResponse) => response.emit("error", new Error("destroyed"));
    expect(usedAfter(HOLDING, {}, hangUp, write, end)).toEqual([1, 1, 0]);
  });

  it("holds it in HTTP/2, which says first that the response has finished", () => {
    const cancel = (response: FakeResponse) => response.emit("finish") && response.emit("close");
    const socket = { destroyed: false, readableEnded: false };
    const properties = { stream: { destroyed: false }, socket };
    const ended = (response: FakeResponse) => {
      response.destroyed = true;
      response.end();
    };
    expect(usedAfter(HOLDING, properties, cancel, ended)).toEqual([1, 0]);
  });

  it("holds none where the connection was handed over, as to a WebSocket", () => {
    expect(usedAfter(HOLDING, { req: { upgrade: true } }, hangUp)).toEqual([0]);
  });

  it("is one whose socket was ended or has an error, and not one that the application closed", () => {
    const own = new Error("upstream is gone");
    const options = { limit: 9, skipFailedRequests: true };
    const usedOf = (socket: Partial<FakeSocket>, more: object = {}) =>
      [HOLDING, options].map((options) => {
        const properties = { socket: Object.assign(new FakeSocket(), socket), ...more };
        return usedAfter(options, properties, hangUp)[0];
      });
    const local = { readableEnded: false };
    const listening = { ...local, server: new EventEmitter().on("clientError", () => {}) };
    expect(usedOf({})).toEqual([1, 1]);
    expect(usedOf({ ...local, errored: new Error("ECONNRESET") })).toEqual([1, 1]);
    expect(usedOf({ ...local, timeout: 5_000 })).toEqual([1, 1]);
    expect(usedOf(listening)).toEqual([1, 1]);
    expect(usedOf(local)).toEqual([0, 0]);
    for (const socket of [local, listening, { ...local, timeout: 5_000 }]) {
      expect(usedOf(socket, { errored: undefined })).toEqual([0, 0]);
      expect(usedOf({ ...socket, errored: own }, { errored: own })).toEqual([0, 0]);
    }
    // The application has done so because its client was gone.
    expect(usedOf({}, { errored: undefined })).toEqual([0, 1]);
    // Other runtimes do not say who has destroyed a response.
    const forget = (response: FakeResponse) => Reflect.deleteProperty(response, "errored");
    for (const server of [listening.server, undefined]) {
      const socket = Object.assign(new FakeSocket(), local, { server });
      expect(usedAfter(HOLDING, { socket }, forget, hangUp, end)).toEqual([1, 1, 0]);
    }
    const invalid = { ...local, errored: new Error("HPE_INVALID_METHOD") };
    expect(usedOf(invalid, { errored: own })).toEqual([0, 1]);
  });

  it("holds its permit as well where it waits for its turn on a connection", () => {
    const socket = new FakeSocket();
    socket.destroyed = false;
    const queued = { socket: null, req: { socket } };
    const close = (response: FakeResponse) => {
      response.destroyed = true;
      socket.emit("close");
    };
    expect(usedAfter(HOLDING, queued, close, end)).toEqual([1, 0]);
    expect(usedAfter(HOLDING, queued, end, close)).toEqual([0, 0]);
    expect(socket.listenerCount("close")).toBeLessThanOrEqual(1);
    const gone = { socket: null, req: { socket: new FakeSocket() } };
    const ended = (response: FakeResponse) => {
      response.destroyed = true;
      response.end();
    };
    expect(usedAfter(HOLDING, gone, () => {}, ended)).toEqual([1, 0]);
  });

  it("gives back its own permit alone, whatever came before it on its connection", () => {
    const socket = new FakeSocket();
    const stand = new Stand(HOLDING);
    const used = () => stand.gate.limiter?.inspect("192.0.2.1").results[0]?.used;
    const queued = { socket: null, req: { socket: Object.assign(socket, { destroyed: false }) } };
    const [first, second] = [new FakeResponse(), new FakeResponse()];
    for (const response of [first, second]) {
      stand.enter(new FakeRequest(), Object.assign(response, queued));
    }
    expect(used()).toBe(2);
    first.end();
    second.destroyed = true;
    socket.emit("close");
    expect(used()).toBe(1);
    second.end();
    expect(used()).toBe(0);
  });

  it("has neither failed nor succeeded, unless refundHangUps says that it has failed", () => {
    const refund = { limit: 9, skipFailedRequests: true, refundHangUps: true };
    expect(usedAfter({ limit: 9, skipFailedRequests: true }, {}, hangUp, end)).toEqual([1, 1]);
    expect(usedAfter({ limit: 9, skipSuccessfulRequests: true }, {}, hangUp, end)).toEqual([1, 1]);
    expect(usedAfter(refund, {}, hangUp, end)).toEqual([1, 0]);
    expect(usedAfter(refund, {}, hangUp, wait(60_000))).toEqual([1, 0]);
  });

  it("is charged once its handler is done", () => {
    const charge = { limit: 9, charge: () => 3 };
    expect(usedAfter(charge, {}, hangUp, end)).toEqual([1, 4]);
    expect(usedAfter({ limit: 9, countIf: () => true }, {}, hangUp, end)).toEqual([0, 1]);
  });
});

it("so many handlers are waited for after hang-ups, and no more", () => {
  vi.useRealTimers();
  const response = { writableEnded: false, on: () => {}, end: () => {} };
  const isShown = (): boolean => false;
  let done = 0;
  const stops: (() => void)[] = [];
  for (let turn = 0; turn < 65_537; turn++) {
    stops.push(awaitHandler(response, 60_000, isShown, () => done++));
  }
  expect(done).toBe(1);
  for (const stop of stops.splice(0, 65_536)) stop();
  expect(done).toBe(65_537);
  const stop = awaitHandler(response, 60_000, isShown, () => done++);
  expect(done).toBe(65_537);
  stop();
  vi.useFakeTimers();
});
