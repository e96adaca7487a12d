"use strict";

/* The packages are installed twice: here, and below the folder `nested`. */

const { takesFromEachOther } = require("./exercise.js");

takesFromEachOther(require("./by-require.js"), require("../nested/by-require.js"));
