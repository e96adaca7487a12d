"use strict";

const required = require("./by-require.js");
const exercise = require("./exercise.js");

void import("../esm/by-import.js").then((imported) => exercise({ imported, required }));
