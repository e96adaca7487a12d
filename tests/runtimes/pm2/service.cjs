/** A process that PM2 looks after: it counts its part, and writes down when it knows of all. */

const { writeFileSync } = require("node:fs");
const { createLimiter, fixedWindow, joinCluster } = require("@tidegate/core");
const { ipcTransport } = require("@tidegate/core/ipc");

const { EXPECTED, NAMESPACE, OUT, PART } = process.env;
const HOUR = 3_600_000;

const cluster = joinCluster({ namespace: NAMESPACE, transport: ipcTransport() });
const limiter = createLimiter({
  name: "api",
  policy: fixedWindow({ limit: 1_000, windowMs: HOUR }),
  cluster,
});
for (let hit = 0; hit < Number(PART); hit++) limiter.check("ada");
const timer = setInterval(() => {
  if (limiter.peek("ada", 0).used !== Number(EXPECTED)) return;
  clearInterval(timer);
  writeFileSync(`${OUT}/${process.pid}`, "");
}, 50);
// PM2 keeps a process that has nothing to do; so does this.
setInterval(() => {}, HOUR);
