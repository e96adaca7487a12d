/**
 * What tests of code that uses tidegate need: real implementations that a test can steer.
 *
 * Start with `manualClock`, which replaces waiting in a test by saying how much time has passed.
 */

export { type ManualClock, manualClock } from "./time/manual-clock.ts";
