/**
 * A vitest reporter that writes the outcome of each test with its error. For an error with a cause,
 * as property tests throw, it writes the cause. A file that does not load is an outcome as well.
 */

import { writeFileSync } from "node:fs";

export default class OutcomeReporter {
  onTestRunEnd(modules) {
    const outcomes = modules.flatMap((module) => {
      const file = module.relativeModuleId;
      const unloaded = module.errors().map(reasonOf);
      const tests = Array.from(module.children.allTests(), (test) => {
        const { state, errors = [] } = test.result();
        return { file, title: test.name, state, errors: errors.map(reasonOf) };
      });
      return unloaded.length > 0 ? [...tests, { file, state: "failed", errors: unloaded }] : tests;
    });
    const file = process.env.TIDEGATE_OUTCOMES_FILE;
    if (file !== undefined) writeFileSync(file, JSON.stringify(outcomes));
  }
}

function reasonOf(error) {
  if (error.cause !== undefined) return reasonOf(error.cause);
  return { name: error.name, message: error.message };
}
