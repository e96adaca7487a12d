"use strict";

const exercise = require("./exercise.cjs");

exercise(require("@tidegate/core"), require("@tidegate/core/testing"));
