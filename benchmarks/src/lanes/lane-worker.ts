/**
 * The process of one lane: `lane-worker.js <parameters as JSON>`, started by `LaneProcess`.
 *
 * It fills its subject and says so, then does what it is told, one request at a time, and is idle in
 * between. It ends with the one that started it, whatever its subject still has running.
 */

import process, { argv } from "node:process";
import type { Reply } from "../asked-process.ts";
import type { Spread } from "../measure/distribution.ts";
import { SubjectLane } from "./subject-lane.ts";

/** What a lane can be told to do. */
export type LaneRequest =
  | { readonly step: "warmUp"; readonly spread: Spread }
  | { readonly step: "prepare" }
  | { readonly step: "time" };

const [parameters] = argv.slice(2);
if (process.send === undefined || parameters === undefined) {
  throw new Error("a lane is started by the scenario that times it");
}

process.on("disconnect", () => process.exit());
const opening = SubjectLane.open(JSON.parse(parameters));
process.on("message", (request: LaneRequest) => void reply(take(request)));
void reply(opening.then(() => 0));

async function take(request: LaneRequest): Promise<number> {
  const lane = await opening;
  if (request.step === "prepare") return lane.prepare();
  if (request.step === "time") return await lane.time();
  await lane.warmUp(request.spread);
  return 0;
}

/** Says what has come of some work: a number, 0 if it is just done. */
async function reply(work: Promise<number>): Promise<void> {
  let said: Reply;
  try {
    said = { value: await work };
  } catch (error) {
    said = { error: String(error) };
  }
  process.send?.(said);
}
