/**
 * One replica of a cluster over a nats-server, as an application has it.
 */

import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type Cluster, joinCluster } from "@tidegate/core";
import type { Transport, TransportContext } from "@tidegate/core/transport";
import { type NatsTransport, natsTransport } from "@tidegate/nats-transport";

export interface ReplicaOptions {
  readonly url: string;
  readonly namespace: string;
  readonly flushMs?: number;
  readonly readyTimeoutMs?: number;
  /** Called after a frame has been heard. */
  readonly heard?: () => void;
}

export interface Replica {
  readonly cluster: Cluster;
  readonly connection: NatsConnection;
}

export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { url, namespace, flushMs, readyTimeoutMs, heard } = options;
  const connection = await connect({ servers: url });
  const transport = natsTransport({ connection });
  const cluster = joinCluster({
    transport: heard === undefined ? transport : new Overheard(transport, heard),
    namespace,
    flushMs,
    readyTimeoutMs,
  });
  return { cluster, connection };
}

/** A transport that tells when a frame has come in. */
class Overheard implements Transport {
  readonly #transport: NatsTransport;
  readonly #heard: () => void;

  constructor(transport: NatsTransport, heard: () => void) {
    this.#transport = transport;
    this.#heard = heard;
  }

  get maxPayload(): number {
    return this.#transport.maxPayload;
  }

  get connected(): boolean {
    return this.#transport.connected;
  }

  get busy(): boolean {
    return this.#transport.busy;
  }

  open(receive: (frame: Uint8Array) => void, context: TransportContext): void {
    this.#transport.open((frame) => {
      receive(frame);
      this.#heard();
    }, context);
  }

  publish(frame: Uint8Array, to?: string): boolean {
    return this.#transport.publish(frame, to);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

/** Waits until a cluster has heard of so many others. */
export async function untilComplete(cluster: Cluster, others: number): Promise<void> {
  await cluster.ready;
  while (cluster.status().peers.filter(({ isAlive }) => isAlive).length < others) await pause(20);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Milliseconds of a clock that all processes of this machine have. */
export function machineNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
