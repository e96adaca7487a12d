/**
 * The clocks of a process on a machine that is suspended, or whose wall clock is set: at SIGUSR2 the
 * monotonic clock and the wall clock go ahead by as much as the test says.
 */

const monotonicMs = performance.now.bind(performance);
const wallMs = Date.now.bind(Date);

export function changeableClocks({ startsAheadMs = 0, monotonicSkipMs = 0, wallSkipMs = 0 } = {}) {
  let monotonicAheadMs = 0;
  let wallAheadMs = startsAheadMs;
  performance.now = () => monotonicMs() + monotonicAheadMs;
  Date.now = () => wallMs() + wallAheadMs;
  process.on("SIGUSR2", () => {
    monotonicAheadMs += monotonicSkipMs;
    wallAheadMs += wallSkipMs;
  });
}
