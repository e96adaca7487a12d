/**
 * Connects the processes that share a limit, wherever they run, over NATS.
 *
 * `natsTransport` takes a connection of either NATS client, which the program installs itself.
 *
 * @packageDocumentation
 */

export type {
  NatsConnectionLike,
  NatsConnectionSource,
  NatsMessageLike,
  NatsSubscriptionLike,
} from "./connection.ts";
export { type NatsTransport, type NatsTransportOptions, natsTransport } from "./nats-transport.ts";
export type { NatsTransportState, NatsTransportStatus } from "./transport-status.ts";
