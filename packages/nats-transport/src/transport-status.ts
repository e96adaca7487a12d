/**
 * The status of a transport over NATS, for operators.
 */

/**
 * - `connecting`: there is no connection yet, or its server has not answered yet
 * - `connected`: the server answers and refuses nothing
 * - `late`: the server has stopped answering
 * - `disconnected`: the client has lost its server, or a function makes another connection
 * - `refused`: the server does not let this process publish or subscribe
 * - `ended`: the connection that was given has been closed, or there will never be one
 * - `closed`: the transport has been closed, or was never opened
 */
export type NatsTransportState =
  | "connecting"
  | "connected"
  | "late"
  | "disconnected"
  | "refused"
  | "ended"
  | "closed";

export interface NatsTransportStatus {
  readonly state: NatsTransportState;
  /** The server that the client is connected to, or was last. */
  readonly server: string | undefined;
  /** Frames handed to the client, by all connections since the transport was opened. */
  readonly framesSent: number;
  /** Frames that were dropped, because nothing could leave or too much was waiting. */
  readonly framesDropped: number;
  /** Bytes that wait for earlier frames to leave. */
  readonly waitingBytes: number;
  /** How long the server took to answer the last time, in milliseconds. */
  readonly roundTripMs: number | undefined;
}
