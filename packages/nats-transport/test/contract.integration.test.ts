import { TRANSPORT_CONTRACT } from "@tidegate/core/transport";
import { type NatsConnectionLike, natsTransport } from "@tidegate/nats-transport";
import { NatsServer } from "@tidegate/testkit";
import { afterAll, beforeAll, describe, it } from "vitest";
import { CLIENTS } from "./clients.ts";

let server: NatsServer;

beforeAll(async () => {
  server = await NatsServer.start();
});
afterAll(() => server.stop());

for (const { name, connect } of CLIENTS) {
  describe(`transports over NATS with ${name} keep the contract`, () => {
    for (const { title, run } of TRANSPORT_CONTRACT) {
      it(title, () =>
        run({ transport: () => natsTransport({ connection: () => connect(server.url) }) }),
      );
    }
  });

  describe(`transports that share one connection of ${name} keep the contract`, () => {
    let connection: NatsConnectionLike;
    beforeAll(async () => {
      connection = await connect(server.url);
    });
    afterAll(() => connection.close());

    for (const { title, run } of TRANSPORT_CONTRACT) {
      it(title, () => run({ transport: () => natsTransport({ connection }) }));
    }
  });
}
