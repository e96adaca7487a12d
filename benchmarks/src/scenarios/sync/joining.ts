/**
 * A process that comes to a cluster with many live keys: how long until it knows them, and how long
 * the event loops of both are held up.
 */

import { Actor } from "../../sync/cast.ts";
import type { LongestTurn } from "../../sync/loop-turns.ts";
import { startServer } from "../../sync/nats.ts";

export interface JoiningScenario {
  readonly keys: number;
}

export interface JoiningRecord {
  readonly kind: "joining";
  readonly keys: number;
  readonly readyMs: number;
  readonly completeMs: number;
  readonly keysWhenReady: number;
  readonly mebibytes: number;
  /** The longest turns of the newcomer, of who told it, and of the newcomer before it came. */
  readonly newcomer: LongestTurn;
  readonly holder: LongestTurn;
  readonly idle: LongestTurn;
}

export async function measureJoining(
  { keys }: JoiningScenario,
  progress: (activity: string) => void,
): Promise<JoiningRecord[]> {
  const server = await startServer();
  const common = { url: server.url, namespace: "joining", keys };
  progress("filling the first process");
  const holder = new Actor("holder", common);
  await holder.ready;
  const newcomer = new Actor("newcomer", common);
  await newcomer.ready;
  progress("joining");
  for (const actor of [holder, newcomer]) actor.tell("go");
  const came = await newcomer.result;
  holder.tell("over");
  const held = await holder.result;
  server.stop();
  return [
    {
      kind: "joining",
      keys,
      ...{ readyMs: came.readyMs, completeMs: came.completeMs, keysWhenReady: came.keysWhenReady },
      mebibytes: held.bytes / 2 ** 20,
      ...{ newcomer: came.longest, holder: held.longest, idle: came.idle },
    },
  ];
}
