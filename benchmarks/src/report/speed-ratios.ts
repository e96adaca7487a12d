/**
 * The time of each subject beside tidegate's, under the same keys and the same answers.
 */

import type { SpeedRecord } from "../scenarios/speed.ts";
import { TIDEGATE_SUBJECTS } from "../subjects/registry.ts";

export interface ComparedSpeed {
  readonly record: SpeedRecord;
  /** How many times as long as tidegate it takes, making the key included; absent without tidegate. */
  readonly rawRatio: number | undefined;
  /** The same without making the key. */
  readonly netRatio: number | undefined;
}

/** Compares each of the records of one run with tidegate's among them. */
export function compareSpeeds(records: readonly SpeedRecord[]): ComparedSpeed[] {
  return records.map((record) => {
    const tidegate = records.find(
      ({ subject, keys, spread, verdict }) =>
        subject === TIDEGATE_SUBJECTS[0] &&
        keys === record.keys &&
        spread === record.spread &&
        verdict === record.verdict,
    );
    return {
      record,
      rawRatio: tidegate && record.raw.median / tidegate.raw.median,
      netRatio: tidegate && record.netNs / tidegate.netNs,
    };
  });
}
