/** Prints each test of a run of node:test as a line of JSON. */

const { basename } = require("node:path");

module.exports = async function* report(source) {
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { name, file = "", skip, details } = data;
    const error = details?.error?.cause?.message ?? details?.error?.message;
    const outcome = skip ? "skipped" : type === "test:pass" ? "passed" : "failed";
    yield `${JSON.stringify({ outcome, title: `${basename(file)}: ${name}`, error })}\n`;
  }
};
