/** The kinds of events of a transport over NATS; docs/reference/status-and-events.md lists them. */

import type { EventKind } from "@tidegate/core/transport";

export type Report = (trouble: string, kind: EventKind) => void;

export const NATS_EVENTS = {
  /** There is no connection: no server, or it refuses the credentials. */
  unreachable: { code: "TIDEGATE_NATS_UNREACHABLE", severity: "error" },
  /** The client has lost its server, or the server has stopped answering. */
  lost: { code: "TIDEGATE_NATS_LOST", severity: "warning" },
  /** The connection that was given has ended, and nothing makes another. */
  ended: { code: "TIDEGATE_NATS_ENDED", severity: "error" },
  /** The server does not let this process publish or subscribe. */
  refused: { code: "TIDEGATE_NATS_REFUSED", severity: "error" },
  /** The server takes shorter frames than this process sends. */
  payload: { code: "TIDEGATE_NATS_PAYLOAD", severity: "error" },
  /** Settings of the connection that can lose it for good. */
  settings: { code: "TIDEGATE_NATS_SETTINGS", severity: "warning" },
  /** The client failed where it must not. */
  client: { code: "TIDEGATE_NATS_CLIENT", severity: "warning" },
  /** A function that the transport was given threw. */
  listener: { code: "TIDEGATE_TRANSPORT_FAILED", severity: "error" },
  /** No frame of another process has arrived since the transport was opened. */
  alone: { code: "TIDEGATE_ALONE", severity: "warning" },
} as const;
