/**
 * The process of one replica: `replica-worker.js <role> <parameters as JSON>`, started by a `Cast`.
 */

import { argv, exit } from "node:process";
import { type Cue, play, type Report, type RoleName, type Roles } from "./role.ts";

const [role, parameters] = argv.slice(2);
if (role === undefined || parameters === undefined || process.send === undefined) {
  throw new Error("this is started by the benchmark: npm run bench -- sync");
}

const heard = new Map<Cue, () => void>();
const cues = (["go", "over"] as const).map(
  (cue) => [cue, new Promise<void>((resolve) => heard.set(cue, resolve))] as const,
);
const [go, over] = [cues[0]![1], cues[1]![1]];
process.on("message", (cue: Cue) => heard.get(cue)?.());
// The parent process has ended.
process.on("disconnect", () => exit(1));

const given = JSON.parse(parameters) as Roles[RoleName]["given"];
let report: Report;
try {
  const result = await play(role as RoleName, given as never, {
    ready: () => {
      say("ready");
      return go;
    },
    over: () => over,
  });
  report = { result };
} catch (error) {
  report = { error: String(error) };
}
say(report);
// A cluster that was not left may still hold connections.
setTimeout(() => exit(0), 100);

function say(report: Report): void {
  process.send?.(report);
}
