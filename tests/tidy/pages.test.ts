/**
 * What code on the pages needs at run time, and no compiler can tell.
 */

import { expect, it } from "vitest";
import { FILES, read } from "./source-tree.ts";

const JOIN = /joinCluster\(\{[\s\S]*?\}\)(?=[;,)\s])/g;
/** What carries frames beyond this process, where others may be. */
const REACHES_OTHERS = /transport: (ipc|nats)Transport\b|\btransport }/;

it("pages give each cluster that reaches other services a namespace", () => {
  const joins = FILES.filter((file) => file.endsWith(".md") && !file.endsWith(".api.md")).flatMap(
    (file) => Array.from(read(file).matchAll(JOIN), ([join]) => ({ file, join })),
  );
  const reaching = joins.filter(({ join }) => REACHES_OTHERS.test(join));
  expect(reaching.length).toBeGreaterThan(8);
  expect(reaching.filter(({ join }) => !/\bnamespace\b/.test(join))).toEqual([]);
});
