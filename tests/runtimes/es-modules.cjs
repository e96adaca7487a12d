"use strict";

const assert = require("node:assert/strict");

/** `require` of the package is the ES module itself, not the CommonJS fallback. */
assert.equal(require("@tidegate/core")[Symbol.toStringTag], "Module");
