/**
 * What must hold in every history, independent of the code under test: checks that look while
 * things happen, and promises that are looked at in the end.
 *
 * A check returns what is wrong, or nothing.
 */

import type { Limiter } from "@tidegate/core";
import type { History } from "./history.ts";
import { isFaultless } from "./scenario.ts";
import { LastingTruth } from "./truth.ts";

export interface Check {
  /** What must hold, as a name. */
  readonly name: string;
  /** Looks at a history; returns what is wrong. */
  look(history: History): string | undefined;
}

/** How long frames are counted after everything is healed, and how many each replica may send. */
const QUIET_MS = 10_000;
const QUIET_FRAMES_MAX = 100;
/** What a replica may be behind when everything is healed. */
const LAG_MS_MAX = 2_500;

/** The checks of a history, to look at while it happens. */
export function checksOf({ scenario, faults, truth }: History): Check[] {
  const { resets, refunds, maxKeys, clockMs } = faults;
  const isLasting = truth instanceof LastingTruth && scenario.releases !== true;
  return [
    phantoms,
    bounds,
    deadlines,
    ...(isFaultless(scenario) ? [partitions] : []),
    ...(clockMs === 0 ? [clocks] : []),
    ...(isLasting && !resets && !refunds && maxKeys === undefined && clockMs === 0
      ? [new MonotoneViews()]
      : []),
  ];
}

/** What must hold in the end, one after the other. */
export function promisesOf({ scenario, faults }: History): Check[] {
  const { promise, endsAfterMs } = scenario;
  const { crashes, clockMs } = faults;
  return [
    ...(endsAfterMs === undefined ? [] : [passing(endsAfterMs)]),
    recovery,
    ...(promise === "exact" ? [exact] : promise === "agreement" ? [agreement] : []),
    // A clock that stands still shortens what was between a crash and a replacement.
    ...(crashes && clockMs > 0 ? [] : [received]),
    recovered,
    quiet,
  ];
}

const phantoms: Check = {
  name: "no replica sees hits that did not happen",
  look: (history) => {
    const { keys, truth } = history;
    for (const key of keys) {
      const most = truth.most(key);
      for (const member of history.replicated()) {
        const seen = history.view(member, key);
        if (seen > most) return `${seen} hits of ${key} are seen, and ${most} happened`;
      }
    }
    return undefined;
  },
};

/** No view of a key falls while its window lasts. */
class MonotoneViews implements Check {
  readonly name: string = "no view falls without a reset, a refund or the end of a window";
  /** By limiter: one that is made again may begin with nothing. */
  readonly #seen = new WeakMap<Limiter, Map<string, number>>();

  look(history: History): string | undefined {
    for (const member of history.replicated()) {
      const seen = this.#seen.get(member.limiter) ?? new Map<string, number>();
      this.#seen.set(member.limiter, seen);
      for (const key of history.keys) {
        const [before = 0, now] = [seen.get(key), history.view(member, key)];
        if (now < before) return `${now} hits of ${key} are seen, and ${before} were`;
        seen.set(key, now);
      }
    }
    return undefined;
  }
}

const bounds: Check = {
  name: "what a limiter keeps stays within its bounds",
  look: ({ members }) => {
    for (const { limiter } of members) {
      const { keys, maxKeys } = limiter.status();
      if (keys > maxKeys) return `${keys} keys are kept, and ${maxKeys} may be`;
    }
    return undefined;
  },
};

const deadlines: Check = {
  name: "no deadline is over after a tick",
  look: ({ members }) => {
    const missed = members.find(({ process }) => process.missedDeadlines > 0);
    return missed === undefined ? undefined : `process ${missed.number} asks for a tick at once`;
  },
};

const partitions: Check = {
  name: "no partition is reported without a fault",
  look: ({ members }) => {
    const parted = members.find(({ process }) => process.cluster.status().partitions > 0);
    return parted?.process.troubles.at(-1);
  },
};

const clocks: Check = {
  name: "no clock that is right is reported",
  look: ({ members }) => {
    for (const { process } of members) {
      const said = process.troubles.find((trouble) => /\bclock\b/.test(trouble));
      if (said !== undefined) return said;
    }
    return undefined;
  },
};

/** Waits until what was counted does not count any more. */
function passing(ms: number): Check {
  return {
    name: "time passes",
    look: (history) => {
      history.pass(ms);
      return undefined;
    },
  };
}

/** Heals everything, and waits until all replicas must have received all. */
const recovery: Check = {
  name: "everything is healed",
  look: (history) => {
    history.recover();
    return undefined;
  },
};

/** What every replica sees of each key. */
function* viewsInTheEnd(history: History): Generator<readonly [key: string, seen: number[]]> {
  for (const key of history.keys) {
    yield [key, history.members.map((member) => history.view(member, key))];
  }
}

const exact: Check = {
  name: "all see the truth in the end",
  look: (history) => {
    for (const [key, seen] of viewsInTheEnd(history)) {
      const truth = history.truth.exact(key);
      if (seen.some((hits) => hits !== truth)) {
        return `of ${key}, ${seen.join(", ")} hits are seen, and ${truth} count`;
      }
    }
    return undefined;
  },
};

const agreement: Check = {
  name: "all see the same in the end, and no more than can be left",
  look: (history) => {
    for (const [key, seen] of viewsInTheEnd(history)) {
      const most = history.truth.mostInTheEnd(key);
      if (new Set(seen).size > 1 || Math.max(...seen) > most) {
        return `of ${key}, ${seen.join(", ")} hits are seen, and ${most} can be left`;
      }
    }
    return undefined;
  },
};

/** If as many replicas run as ever did, none is partitioned, and all receive each other. */
const received: Check = {
  name: "all receive each other when as many run as ever did",
  look: (history) => {
    history.replace();
    for (const { number, process } of history.members) {
      const { degraded, peers } = process.cluster.status();
      if (degraded) return `process ${number} is degraded: ${process.troubles.at(-1)}`;
      const alive = new Set(peers.flatMap(({ isAlive, replica }) => (isAlive ? [replica] : [])));
      const silent = history.members.find(
        (other) => other.process !== process && !alive.has(other.process.cluster.status().replica),
      );
      if (silent !== undefined) return `process ${number} does not receive ${silent.number}`;
    }
    return undefined;
  },
};

const recovered: Check = {
  name: "no replica stays behind",
  look: (history) => {
    for (const { number, process } of history.members) {
      const { lagMs, isOverloaded } = process.cluster.status();
      if (lagMs > LAG_MS_MAX || isOverloaded) return `process ${number} is ${lagMs} ms behind`;
    }
    return undefined;
  },
};

const quiet: Check = {
  name: "nothing but heartbeats is sent when nothing happens",
  look: (history) => {
    const before = new Map(history.members.map(({ process }) => [process, process.frames]));
    history.pass(QUIET_MS);
    for (const { number, process } of history.members) {
      const sent = process.frames - before.get(process)!;
      if (sent > QUIET_FRAMES_MAX) {
        return `process ${number} sends ${sent} frames in ${QUIET_MS / 1_000} s`;
      }
    }
    return undefined;
  },
};
