/**
 * The kinds of cluster events: a stable code and a severity for each.
 *
 * Codes are for programs: alarms, metrics and searches. Sentences may change, codes may not. The
 * page docs/reference/status-and-events.md lists all of them.
 */

/**
 * - `info`: something works again
 * - `warning`: limits are shared, and an operator should look
 * - `error`: limits are not shared with some process, or counts are lost
 */
export type EventSeverity = "info" | "warning" | "error";

export interface EventKind {
  /** A stable name, such as `TIDEGATE_PARTITIONED`. */
  readonly code: string;
  readonly severity: EventSeverity;
}

/** Takes a sentence for operators, and what kind of event it is. */
export type Report = (message: string, kind: EventKind) => void;

/** How to find a replica that a sentence names. */
export const WHICH_PROCESS = "'status().replica' says which process a replica is";

export const CLUSTER_EVENTS = {
  partitioned: { code: "TIDEGATE_PARTITIONED", severity: "error" },
  disconnected: { code: "TIDEGATE_DISCONNECTED", severity: "error" },
  reunited: { code: "TIDEGATE_REUNITED", severity: "info" },
  alone: { code: "TIDEGATE_ALONE", severity: "warning" },
  framesMalformed: { code: "TIDEGATE_FRAMES_MALFORMED", severity: "warning" },
  framesVersion: { code: "TIDEGATE_FRAMES_VERSION", severity: "error" },
  framesForeign: { code: "TIDEGATE_FRAMES_FOREIGN", severity: "error" },
  framesForged: { code: "TIDEGATE_FRAMES_FORGED", severity: "error" },
  framesFarClock: { code: "TIDEGATE_FRAMES_FAR_CLOCK", severity: "error" },
  overloaded: { code: "TIDEGATE_OVERLOADED", severity: "warning" },
  overloadOver: { code: "TIDEGATE_OVERLOAD_OVER", severity: "info" },
  countsLost: { code: "TIDEGATE_COUNTS_LOST", severity: "error" },
  tooManyReplicas: { code: "TIDEGATE_TOO_MANY_REPLICAS", severity: "error" },
  countsAhead: { code: "TIDEGATE_COUNTS_AHEAD", severity: "warning" },
  countsImpossible: { code: "TIDEGATE_COUNTS_IMPOSSIBLE", severity: "warning" },
  tooManyCounts: { code: "TIDEGATE_TOO_MANY_COUNTS", severity: "warning" },
  tooManyKeys: { code: "TIDEGATE_TOO_MANY_KEYS", severity: "error" },
  tooManyAnswers: { code: "TIDEGATE_TOO_MANY_ANSWERS", severity: "warning" },
  resetAhead: { code: "TIDEGATE_RESET_AHEAD", severity: "warning" },
  policiesDiffer: { code: "TIDEGATE_POLICIES_DIFFER", severity: "error" },
  limitsDiffer: { code: "TIDEGATE_LIMITS_DIFFER", severity: "warning" },
  limiterAlone: { code: "TIDEGATE_LIMITER_ALONE", severity: "warning" },
  secretUndefined: { code: "TIDEGATE_SECRET_UNDEFINED", severity: "warning" },
  clockOff: { code: "TIDEGATE_CLOCK_OFF", severity: "warning" },
  clockRefused: { code: "TIDEGATE_CLOCK_REFUSED", severity: "error" },
  clockRenewed: { code: "TIDEGATE_CLOCK_RENEWED", severity: "info" },
  clockRight: { code: "TIDEGATE_CLOCK_RIGHT", severity: "info" },
  idTaken: { code: "TIDEGATE_ID_TAKEN", severity: "warning" },
  leftEarly: { code: "TIDEGATE_LEFT_EARLY", severity: "error" },
  transportFailed: { code: "TIDEGATE_TRANSPORT_FAILED", severity: "error" },
  transportTrouble: { code: "TIDEGATE_TRANSPORT_TROUBLE", severity: "warning" },
  ipcUnreachable: { code: "TIDEGATE_IPC_UNREACHABLE", severity: "error" },
  ipcReachable: { code: "TIDEGATE_IPC_REACHABLE", severity: "info" },
  ipcReaderStuck: { code: "TIDEGATE_IPC_READER_STUCK", severity: "warning" },
} as const;
