/**
 * Readings drawn from what was measured: the one figure that a claim is judged by, and a note.
 *
 * A reading is `undefined` where nothing was measured that could answer.
 */

import type { TrafficName } from "../cluster/traffic.ts";
import type { Reading } from "../reading.ts";
import type { ScenarioRecord } from "../scenarios/catalogue.ts";
import type { ClusterMemoryRecord } from "../scenarios/cluster-memory.ts";
import type { SpeedRecord } from "../scenarios/speed.ts";
import type { Finding } from "../section.ts";
import { type SubjectName, TIDEGATE_SUBJECTS } from "../subjects/registry.ts";
import type { Verdict } from "../subjects/subject.ts";

const MIB = 2 ** 20;
const SPREAD_TRUSTED = 0.1;
const TIDEGATE = TIDEGATE_SUBJECTS[0];

export class Evidence {
  readonly #findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    this.#findings = findings;
  }

  /** How many times as long as tidegate the fastest of some subjects takes to allow a request. */
  speedBeside(subjects: readonly SubjectName[], heading: string): Reading | undefined {
    const tidegate = this.#speed(TIDEGATE, heading, "allowed");
    const fastest = subjects
      .map((subject) => this.#speed(subject, heading, "allowed"))
      .filter((record) => record !== undefined)
      .sort((left, right) => left.netNs - right.netNs)[0];
    if (tidegate === undefined || fastest === undefined) return undefined;
    const raw = fastest.raw.median / tidegate.raw.median;
    const rival = subjects.length > 1 ? `${fastest.subject}; ` : "";
    return {
      value: fastest.netNs / tidegate.netNs,
      note: `${rival}with making the key ${raw.toFixed(2)} ×${doubt(tidegate, fastest)}`,
    };
  }

  /** How many times as long as allowing refusing takes. */
  refusalBesideAllowance(heading: string): Reading | undefined {
    const allowed = this.#speed(TIDEGATE, heading, "allowed");
    const refused = this.#speed(TIDEGATE, heading, "refused");
    if (allowed === undefined || refused === undefined) return undefined;
    const raw = refused.raw.median / allowed.raw.median;
    return {
      value: refused.netNs / allowed.netNs,
      note: `with making the key ${raw.toFixed(2)} ×${doubt(allowed, refused)}`,
    };
  }

  /** Bytes per key at the size of table where a key costs most. */
  bytesPerKey(...subjects: readonly SubjectName[]): Reading | undefined {
    const weighed = this.#records("memory").filter(({ subject }) => subjects.includes(subject));
    const most = weighed.sort(
      (left, right) => right.managedBytesPerKey - left.managedBytesPerKey,
    )[0];
    if (most === undefined) return undefined;
    const largest = Math.max(...weighed.map(({ keys }) => keys));
    return {
      value: most.managedBytesPerKey,
      note: `at ${most.keys} keys, the worst of ${weighed.length} weighings up to ${largest}`,
    };
  }

  /** Bytes per key within a cluster before another replica counted it, where that is most. */
  bytesPerKeyAlone(...traffics: readonly TrafficName[]): Reading | undefined {
    const shared = this.#clusterMemory(traffics);
    const most = largest(shared, ({ aloneBytesPerKey }) => aloneBytesPerKey);
    if (most === undefined) return undefined;
    return { value: most.aloneBytesPerKey, note: `at ${most.keys} keys` };
  }

  /** Bytes per key that each further replica adds that counted it, where that is most. */
  bytesPerOther(...traffics: readonly TrafficName[]): Reading | undefined {
    const shared = this.#clusterMemory(traffics);
    const most = largest(shared, ({ addedBytesPerKey }) => addedBytesPerKey);
    if (most === undefined) return undefined;
    const { traffic, keys, others, managedBytesPerKey } = most;
    const whole = managedBytesPerKey.toFixed(0);
    return {
      value: most.addedBytesPerKey,
      note: `${traffic}, ${others} more at ${keys} keys: ${whole} in all`,
    };
  }

  /** Bytes per key that this replica and one other counted, where that is most. */
  bytesPerKeyOfTwo(...traffics: readonly TrafficName[]): Reading | undefined {
    const ofTwo = this.#clusterMemory(traffics).filter(({ others }) => others === 1);
    const most = largest(ofTwo, ({ managedBytesPerKey }) => managedBytesPerKey);
    if (most === undefined) return undefined;
    const { traffic, keys, managedBytesPerKey, addedBytesPerKey } = most;
    const added = addedBytesPerKey.toFixed(0);
    return {
      value: managedBytesPerKey,
      note: `${traffic} at ${keys} keys; each further replica adds ${added}`,
    };
  }

  /** MiB of the whole process with that many keys in a fixed window. */
  processMib(keys: number): Reading | undefined {
    const full = this.#records("memory").find(
      (record) => record.subject === TIDEGATE && record.keys === keys,
    );
    if (full === undefined) return undefined;
    return {
      value: full.residentBytes / MIB,
      note: `at its peak, while it grew, ${Math.round(full.residentBytesPeak / MIB)} MiB`,
    };
  }

  /** The longest check in ms, of the run that was disturbed least. */
  longestCheckMs(keys: number): Reading | undefined {
    const runs = this.#records("filling").filter((record) => record.keys === keys);
    if (runs.length === 0) return undefined;
    const longest = runs.map((run) => run.longest[0]?.ms ?? 0);
    return {
      value: Math.min(...longest),
      note:
        `runs ${inWords(longest)} ms; ` +
        `turns of the event loop between checks ${inWords(runs.map((run) => run.longestTurnMs))} ms`,
    };
  }

  /** Bytes that a check leaves behind, allowed or refused, whichever is more. */
  garbagePerCheck(): Reading | undefined {
    const measured = this.#records("garbage").filter(({ subject }) => subject === TIDEGATE);
    if (measured.length === 0) return undefined;
    return {
      value: Math.max(...measured.map(({ bytesPerCheck }) => bytesPerCheck)),
      note: measured.map((one) => `${one.verdict} ${Math.round(one.bytesPerCheck)}`).join(", "),
    };
  }

  /** Processor time in ms that ten idle seconds take, the runtime's own included. */
  idleMs(): Reading | undefined {
    const runs = this.#records("idle");
    const limited = runs.filter(({ keys }) => keys > 0).map(tenSeconds);
    if (limited.length === 0) return undefined;
    const empty = runs.filter(({ keys }) => keys === 0).map(tenSeconds);
    return {
      value: Math.min(...limited),
      note: `runs ${inWords(limited)} ms; without a limiter ${inWords(empty)} ms`,
    };
  }

  /** Time in ms from closing a limiter to the end of its process. */
  leavingMs(): Reading | undefined {
    const left = this.#records("leaving")[0];
    if (left === undefined) return undefined;
    if (left.endedAfterMs === null) return { value: Infinity, note: "it had to be killed" };
    return { value: left.endedAfterMs, note: "" };
  }

  #clusterMemory(traffics: readonly TrafficName[]): ClusterMemoryRecord[] {
    return this.#records("clusterMemory").filter(({ traffic }) => traffics.includes(traffic));
  }

  #speed(subject: SubjectName, heading: string, verdict: Verdict): SpeedRecord | undefined {
    return this.#records("speed", heading).find(
      (record) =>
        record.subject === subject && record.verdict === verdict && record.spread === "uniform",
    );
  }

  #records<Kind extends ScenarioRecord["kind"]>(
    kind: Kind,
    heading?: string,
  ): Extract<ScenarioRecord, { kind: Kind }>[] {
    return this.#findings
      .filter((finding) => heading === undefined || finding.heading === heading)
      .map(({ record }) => record)
      .filter((record): record is Extract<ScenarioRecord, { kind: Kind }> => record.kind === kind);
  }
}

function largest<Item>(items: readonly Item[], figure: (item: Item) => number): Item | undefined {
  return items.toSorted((left, right) => figure(right) - figure(left))[0];
}

/** A warning, if rounds lie so far apart that a ratio of their medians means little. */
function doubt(...records: readonly SpeedRecord[]): string {
  const widest = Math.max(...records.map(({ raw }) => raw.spread));
  if (widest <= SPREAD_TRUSTED) return "";
  return `; uneven, ±${Math.round(widest * 100)} %: run again on a quiet machine`;
}

function tenSeconds({ cpuMs, seconds }: { cpuMs: number; seconds: number }): number {
  return (cpuMs / seconds) * 10;
}

function inWords(values: readonly number[]): string {
  return values.map((value) => value.toFixed(1)).join(" and ");
}
