/**
 * Replicas in processes of their own, that begin together.
 */

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { COMMON_FLAGS } from "../node-flags.ts";
import type { Cue, Report, RoleName, Roles } from "./role.ts";

const WORKER = fileURLToPath(new URL("./replica-worker.js", import.meta.url));

export class Actor<Name extends RoleName> {
  /** Rejects when the process ends before it is. */
  readonly ready: Promise<void>;
  readonly result: Promise<Roles[Name]["result"]>;
  readonly #child: ChildProcess;

  constructor(role: Name, given: Roles[Name]["given"]) {
    const child = fork(WORKER, [role, JSON.stringify(given)], {
      execArgv: [...COMMON_FLAGS],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#child = child;
    const ended = new Promise<never>((_, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`a ${role} process ended with code ${code}`)));
      child.on("message", (report: Report) => {
        if (typeof report === "object" && "error" in report) reject(new Error(report.error));
      });
    });
    ended.catch(() => {});
    const heard = <Value>(pick: (report: Report) => Value | undefined): Promise<Value> =>
      Promise.race([
        ended,
        new Promise<Value>((resolve) => {
          child.on("message", (report: Report) => {
            const value = pick(report);
            if (value !== undefined) resolve(value);
          });
        }),
      ]);
    this.ready = heard((report) => (report === "ready" ? true : undefined)).then(() => {});
    this.result = heard((report) =>
      typeof report === "object" && "result" in report
        ? (report.result as Roles[Name]["result"])
        : undefined,
    );
    for (const promise of [this.ready, this.result]) promise.catch(() => {});
  }

  tell(cue: Cue): void {
    this.#child.send(cue);
  }
}

/** Has several replicas play the same role; resolves to what each found out. */
export async function perform<Name extends RoleName>(
  role: Name,
  given: readonly Roles[Name]["given"][],
): Promise<Roles[Name]["result"][]> {
  const actors = given.map((one) => new Actor(role, one));
  await Promise.all(actors.map(({ ready }) => ready));
  for (const actor of actors) actor.tell("go");
  return Promise.all(actors.map(({ result }) => result));
}
