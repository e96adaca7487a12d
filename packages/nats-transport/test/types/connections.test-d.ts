import type { NatsConnection as Connection3 } from "@nats-io/transport-node";
import { type NatsTransport, natsTransport } from "@tidegate/nats-transport";
import type { NatsConnection as Connection2 } from "nats";
import { expectTypeOf, it } from "vitest";

it("connections of both clients, promises of them and functions that make them are taken", () => {
  const [two, three] = [null as unknown as Connection2, null as unknown as Connection3];
  expectTypeOf(natsTransport).toBeCallableWith({ connection: two });
  expectTypeOf(natsTransport).toBeCallableWith({ connection: three });
  expectTypeOf(natsTransport).toBeCallableWith({ connection: Promise.resolve(two) });
  expectTypeOf(natsTransport).toBeCallableWith({ connection: Promise.resolve(three) });
  expectTypeOf(natsTransport).toBeCallableWith({ connection: () => two, subject: "a" });
  expectTypeOf(natsTransport).toBeCallableWith({ connection: async () => three });
});

it("nothing else is", () => {
  // @ts-expect-error a url is no connection
  expectTypeOf(natsTransport).toBeCallableWith({ connection: "nats://localhost" });
  // @ts-expect-error there is no default
  expectTypeOf(natsTransport).toBeCallableWith({});
});

it("the returned transport has a status", () => {
  expectTypeOf<ReturnType<NatsTransport["status"]>["framesSent"]>().toBeNumber();
  expectTypeOf<NatsTransport["connected"]>().toEqualTypeOf<boolean>();
});
