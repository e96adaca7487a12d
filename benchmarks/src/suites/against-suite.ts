/**
 * What is compared with another commit if no suite is named: what a change of the code could make
 * worse without a test that fails. It takes a quarter of an hour at most.
 *
 * Agreement is measured in its quick form, because all of it happens several times.
 */

import type { Section } from "../section.ts";
import { CORE_HEADINGS, coreSuite } from "./core-suite.ts";
import { HTTP_HEADINGS, httpSuite } from "./http-suite.ts";
import { SYNC_HEADINGS, syncSuite } from "./sync-suite.ts";

const HEADINGS: ReadonlySet<string> = new Set([
  ...[CORE_HEADINGS.hotKey, CORE_HEADINGS.hundredThousand],
  ...[CORE_HEADINGS.policiesHotKey, CORE_HEADINGS.policiesManyKeys, CORE_HEADINGS.garbage],
  HTTP_HEADINGS.request,
  ...[SYNC_HEADINGS.propagation, SYNC_HEADINGS.hotKey, SYNC_HEADINGS.manyKeys],
  ...[SYNC_HEADINGS.merging, SYNC_HEADINGS.sharedCheck],
]);

export function againstSuite(quick: boolean): Section[] {
  const sections = [...coreSuite(quick), ...httpSuite(quick), ...syncSuite(true)];
  return sections.filter(({ heading }) => HEADINGS.has(heading));
}
