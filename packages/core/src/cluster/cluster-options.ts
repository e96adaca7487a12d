/**
 * The options of `joinCluster`: their checks and defaults.
 */

import { TidegateError } from "../base/errors.ts";
import {
  invalidOption,
  knownOptions,
  label,
  missingOption,
  oneOf,
  wholeNumber,
} from "../base/options.ts";
import {
  SEPARATED_MODES,
  type SeparatedMode,
} from "../replication/membership/partition-detector.ts";
import { sharedState } from "../runtime/copies.ts";
import { asClock, type Clock, systemClock } from "../time/clock.ts";
import type { Transport } from "../transport/transport.ts";

const NAMESPACE_DEFAULT = "default";
const READY_TIMEOUT_MS_DEFAULT = 3_000;
const READY_TIMEOUT_MS_MAX = 60_000;
const FLUSH_MS_DEFAULT = 50;
const FLUSH_MS_MAX = 10_000;
/**
 * An attacker who listens can try secrets at leisure, so shorter ones than 128 bits are refused.
 */
const SECRET_BYTES_LEAST = 16;

/**
 * Transports that carry a cluster. Each joins one; a transport that failed to open has joined none.
 */
export const joined: WeakSet<Transport> = sharedState("transports", () => new WeakSet<Transport>());

export interface ClusterOptions {
  /**
   * The transport between the processes, such as `ipcTransport()`. Each transport joins one
   * cluster.
   */
  readonly transport: Transport;
  /**
   * Processes with the same namespace share their limits. Needed if the transport reaches services
   * other than this one.
   *
   * @default "default"
   */
  readonly namespace?: string | undefined;
  /**
   * At least 16 random bytes that only these processes know. Frames of other senders are then
   * refused, and an attacker who listens cannot tell which keys are counted.
   */
  readonly secret?: string | Uint8Array | undefined;
  /**
   * How long `ready` waits at most for the counts of other processes.
   *
   * @default 3_000
   */
  readonly readyTimeoutMs?: number | undefined;
  /**
   * How long counts wait at most before they are published, for keys past half of their limit.
   * Counts that could matter leave at once, and those of other keys after four times as long.
   *
   * @default 50
   */
  readonly flushMs?: number | undefined;
  /**
   * What a process allows in its first half second, until it has merged the counts of the others:
   * all of each limit, an even share of what it does not know to be used, or nothing.
   *
   * @default "share"
   */
  readonly onCold?: SeparatedMode | undefined;
  /**
   * The clock of all limiters of this cluster; tests pass a manual one.
   *
   * @default the clock of this process
   */
  readonly clock?: Clock | undefined;
}

/** Every option with its default filled in; throws for invalid options. */
export function resolveClusterOptions(options: ClusterOptions): Required<ClusterOptions> & {
  readonly namespace: string;
  readonly readyTimeoutMs: number;
  readonly flushMs: number;
  readonly onCold: SeparatedMode;
  readonly clock: Clock;
} {
  knownOptions("joinCluster", options, [
    "transport",
    "namespace",
    "secret",
    "readyTimeoutMs",
    "flushMs",
    "onCold",
    "clock",
  ]);
  const { transport, namespace, secret } = options;
  if (transport === undefined) {
    throw missingOption("joinCluster", "transport", "for example ipcTransport()");
  }
  const { open, publish, close } = transport ?? {};
  if (![open, publish, close].every((method) => typeof method === "function")) {
    throw invalidOption("transport", "a transport, such as ipcTransport()", transport);
  }
  if (joined.has(transport)) {
    throw new TidegateError(
      "TIDEGATE_OPTION_CONFLICT",
      "this transport has joined a cluster before: make another one, or use that cluster",
    );
  }
  if (namespace === undefined && transport.needsNamespace === true) {
    throw missingOption("joinCluster", "namespace", "a name of this service, such as 'shop'");
  }
  const { readyTimeoutMs = READY_TIMEOUT_MS_DEFAULT, flushMs = FLUSH_MS_DEFAULT } = options;
  return {
    transport,
    namespace: label("namespace", namespace ?? NAMESPACE_DEFAULT),
    secret: secretOf(secret),
    readyTimeoutMs: wholeNumber("readyTimeoutMs", readyTimeoutMs, 0, READY_TIMEOUT_MS_MAX),
    flushMs: wholeNumber("flushMs", flushMs, 1, FLUSH_MS_MAX),
    onCold: oneOf("onCold", options.onCold ?? "share", SEPARATED_MODES),
    clock: asClock(options.clock, systemClock),
  };
}

function secretOf(secret: unknown): string | Uint8Array | undefined {
  if (secret === undefined) return undefined;
  const isBytes = typeof secret === "string" || secret instanceof Uint8Array;
  if (isBytes && Buffer.byteLength(secret) >= SECRET_BYTES_LEAST) return secret;
  // What it is stays out of messages.
  const given = isBytes ? `${Buffer.byteLength(secret)} bytes` : `a value of type ${typeof secret}`;
  throw new TidegateError(
    "TIDEGATE_OPTION_INVALID",
    `'secret' must be a string or bytes, at least ${SECRET_BYTES_LEAST} bytes long, got ${given}`,
  );
}
