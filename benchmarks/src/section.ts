/**
 * A part of a suite: jobs that answer one question, and the table that shows the answer.
 */

import type { Job } from "./job.ts";
import type { ScenarioRecord } from "./scenarios/catalogue.ts";

export interface Section {
  readonly heading: string;
  readonly jobs: readonly Job[];
}

/** What a job measured, and the heading it belongs to. */
export interface Finding {
  readonly heading: string;
  readonly record: ScenarioRecord;
}

/** Keeps the jobs whose title or heading holds every word, whatever its case, and drops empty sections. */
export function sectionsWith(sections: readonly Section[], words: readonly string[]): Section[] {
  const wanted = words.map((word) => word.toLowerCase());
  return sections
    .map(({ heading, jobs }) => ({
      heading,
      jobs: jobs.filter(({ title }) => {
        const text = `${heading} ${title}`.toLowerCase();
        return wanted.every((word) => text.includes(word));
      }),
    }))
    .filter(({ jobs }) => jobs.length > 0);
}
