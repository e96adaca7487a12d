/**
 * When the hits of a load come: each pattern has the same mean rate.
 *
 * A pattern draws the time of the next hit from that of the last one. Times have fractions, and
 * never go back.
 */

export const ARRIVALS = ["poisson", "even", "bursts", "on-off", "edges"] as const;

/**
 * - poisson: each hit comes at a random time
 * - even: one hit after the other, at equal distances
 * - bursts: a twentieth of a window's hits at once, at random times
 * - on-off: the load pauses for half of the time, for a window at a time on average
 * - edges: an attacker opens a window, waits until just before its end, which the decision says, and
 *   hits until just after it; then it lets the next window pass
 */
export type Arrivals = (typeof ARRIVALS)[number];

export interface ArrivalOptions {
  /** Hits per millisecond, on average. */
  readonly perMs: number;
  readonly windowMs: number;
  readonly random: () => number;
}

/** Returns the time of the next hit; `edgeMs` is when the last decision's window ends. */
export type NextArrival = (nowMs: number, edgeMs: number) => number;

/** The part of a window's hits that one burst has. */
const BURST_PART = 1 / 20;
/** The part of a window before its end, and after its start, in which an edge is hit. */
const EDGE_PART = 1 / 20;

export function arrivalsOf(kind: Arrivals, options: ArrivalOptions): NextArrival {
  const { perMs, windowMs, random } = options;
  const wait = (meanMs: number): number => -Math.log(1 - random()) * meanMs;
  switch (kind) {
    case "poisson":
      return (nowMs) => nowMs + wait(1 / perMs);
    case "even":
      return (nowMs) => nowMs + 1 / perMs;
    case "bursts": {
      const size = Math.max(2, Math.round(perMs * windowMs * BURST_PART));
      let left = 0;
      return (nowMs) => {
        if (left-- > 0) return nowMs;
        left = size - 1;
        return nowMs + wait(size / perMs);
      };
    }
    case "on-off": {
      let pausesAtMs: number | undefined;
      return (nowMs) => {
        pausesAtMs ??= nowMs + wait(windowMs);
        let atMs = nowMs + wait(1 / (2 * perMs));
        while (atMs > pausesAtMs) {
          const resumesAtMs: number = pausesAtMs + wait(windowMs);
          pausesAtMs = resumesAtMs + wait(windowMs);
          atMs = resumesAtMs + wait(1 / (2 * perMs));
        }
        return atMs;
      };
    }
    case "edges":
      return aimedAtEdges(windowMs, () => wait(EDGE_PART / perMs));
  }
}

function aimedAtEdges(windowMs: number, waitMs: () => number): NextArrival {
  const nearMs = windowMs * EDGE_PART;
  let isFirst = true;
  let aimMs = Number.NaN;
  return (nowMs, edgeMs) => {
    if (isFirst) {
      isFirst = false;
      return nowMs;
    }
    if (Number.isNaN(aimMs)) {
      // That hit came into the window before.
      if (edgeMs - nowMs < windowMs / 2) return Math.max(edgeMs, nowMs) + nearMs;
      aimMs = edgeMs;
    }
    const atMs = Math.max(nowMs, aimMs - nearMs) + waitMs();
    if (atMs <= aimMs + nearMs) return atMs;
    // The hit that opens the next window of the attack comes when the window after the edge is over.
    const opensAtMs = Math.max(atMs, aimMs + windowMs + nearMs);
    aimMs = Number.NaN;
    return opensAtMs;
  };
}
