/**
 * A vitest reporter that writes down how many tests passed, failed and were skipped.
 *
 * A failure outside a test counts too: a file that does not load, a hook that throws, an uncaught
 * error. Otherwise a run could end red with "0 failed".
 */

import { writeFileSync } from "node:fs";

export default class TallyReporter {
  onTestRunEnd(modules, unhandledErrors, reason) {
    const tally = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        tally[state === "passed" || state === "failed" ? state : "skipped"] += 1;
      }
      tally.failed += module.errors().length;
      for (const suite of module.children.allSuites()) tally.failed += suite.errors().length;
    }
    if (reason === "interrupted") tally.failed += 1;
    const file = process.env.TIDEGATE_TALLY_FILE;
    if (file !== undefined) writeFileSync(file, JSON.stringify(tally));
  }
}
