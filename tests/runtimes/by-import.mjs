import * as core from "@tidegate/core";
import * as testing from "@tidegate/core/testing";
import exercise from "./exercise.cjs";

exercise(core, testing);
