/**
 * Requests of one process, and what became of them: how many, how long each took, which were allowed.
 *
 * Each single check is timed, with the thread as busy as it is. A stretch ends whenever its figures
 * are taken, so that what was measured before a disturbance stays apart from what was during it.
 */

import { createHistogram } from "node:perf_hooks";

const TURN_MS = 10;
/** A process that stood still does not make up for all of it at once. */
const CATCH_UP_MS = 100;
/** Checks of keys of their own, so that the first of a stretch are not those of a cold program. */
const WARM_UP = 20_000;
const WARM_UP_KEYS = 10;

export class Traffic {
  #limiter;
  #flows = [];
  #timer;
  #turnedAtMs = 0;
  #stretch;

  constructor(limiter) {
    this.#limiter = limiter;
    const warm = { offered: 0, allowed: 0 };
    this.#stretch = new Stretch();
    for (let check = 0; check < WARM_UP; check++) {
      this.#check({ ...warm, key: `warm-up-${check % WARM_UP_KEYS}` }, this.#stretch);
    }
    this.#stretch = new Stretch();
  }

  /** Asks for each key so many times a second until it is ended. */
  begin(flows) {
    clearInterval(this.#timer);
    this.#flows = flows.map((flow) => ({ ...flow, owed: 0, offered: 0, allowed: 0 }));
    this.#stretch = new Stretch();
    this.#turnedAtMs = performance.now();
    this.#timer = setInterval(() => this.#turn(), TURN_MS);
  }

  /** What happened since the last time this was asked, and what each key has come to since it began. */
  figures() {
    const { histogram, ...figures } = this.#stretch;
    this.#stretch = new Stretch();
    const keys = Object.fromEntries(
      this.#flows.map(({ key, offered, allowed }) => [key, { offered, allowed }]),
    );
    return {
      keys,
      ...figures,
      checks: histogram.count,
      medianUs: histogram.percentile(50) / 1_000,
      p99Us: histogram.percentile(99) / 1_000,
      longestMs: histogram.count === 0 ? 0 : histogram.max / 1e6,
    };
  }

  end() {
    clearInterval(this.#timer);
    return this.figures();
  }

  /** What was used of so many keys that are asked for once each. */
  sum(key, count) {
    let used = 0;
    for (let number = 1; number <= count; number++) {
      used += this.#limiter.peek(scattered(key, number)).used;
    }
    return used;
  }

  /** So many requests over some time. */
  async burst(key, times, overMs) {
    const stretch = new Stretch();
    const flow = { key, offered: 0, allowed: 0 };
    const bursts = Math.max(1, Math.floor(overMs / TURN_MS));
    for (let burst = 1; burst <= bursts; burst++) {
      while (flow.offered < Math.round((times * burst) / bursts)) this.#check(flow, stretch);
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    }
    return { allowed: flow.allowed, longestMs: stretch.histogram.max / 1e6 };
  }

  #turn() {
    const now = performance.now();
    const passedMs = now - this.#turnedAtMs;
    this.#turnedAtMs = now;
    const stretch = this.#stretch;
    stretch.longestPauseMs = Math.max(stretch.longestPauseMs, passedMs - TURN_MS);
    const interruptions = interruptionsSoFar();
    let longestMs = 0;
    for (const flow of this.#flows) {
      flow.owed += (flow.perSecond * Math.min(passedMs, CATCH_UP_MS)) / 1_000;
      for (; flow.owed >= 1; flow.owed--) {
        longestMs = Math.max(longestMs, this.#check(flow, stretch));
      }
    }
    if (interruptionsSoFar() === interruptions) {
      stretch.longestAloneMs = Math.max(stretch.longestAloneMs, longestMs);
    }
  }

  /** Returns how long it took. */
  #check(flow, stretch) {
    flow.offered++;
    const { offered, keys = Number.POSITIVE_INFINITY } = flow;
    const key = flow.isScattered ? scattered(flow.key, 1 + ((offered - 1) % keys)) : flow.key;
    try {
      const startedAtMs = performance.now();
      const decision = this.#limiter.check(key);
      const tookMs = performance.now() - startedAtMs;
      stretch.histogram.record(Math.max(1, Math.round(tookMs * 1e6)));
      if (decision.degraded) stretch.degraded++;
      if (decision.allowed) flow.allowed++;
      if (decision.allowed && flow.isRecorded) {
        stretch.admissions.push([Date.now(), decision.resetMs]);
      }
      return tookMs;
    } catch {
      stretch.threw++;
      return 0;
    }
  }
}

function scattered(key, number) {
  return `${key} ${number}`;
}

/** How often the system has taken the processor away from this process to give it to another. */
function interruptionsSoFar() {
  return process.resourceUsage().involuntaryContextSwitches;
}

class Stretch {
  histogram = createHistogram();
  threw = 0;
  /** Decisions of a replica that was cut off. */
  degraded = 0;
  /** How much later than planned the process came to run at worst. */
  longestPauseMs = 0;
  /** The longest check while no other process was given the processor in between. */
  longestAloneMs = 0;
  /** When each hit of a recorded key was allowed, and how long its window then had to go. */
  admissions = [];
}
