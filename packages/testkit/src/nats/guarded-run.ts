/**
 * Runs a program that writes a log and must not outlive this process.
 *
 * `guard.sh` kills it when this process ends, for whatever reason. Signals go to the process id
 * that the program itself has written into its log.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const GUARD = fileURLToPath(new URL("guard.sh", import.meta.url));
const PATIENCE_MS = 10_000;
const PROCESS_ID = /^\[(\d+)\]/m;

export class GuardedRun {
  readonly #guard: ChildProcess;
  readonly #ended: Promise<void>;
  #hasEnded = false;
  #log = "";
  #pid = 0;
  #heard: () => void = () => {};

  /** @param folder is removed after the program has ended */
  constructor(folder: string, command: readonly string[]) {
    this.#guard = spawn("sh", [GUARD, folder, ...command], { stdio: ["pipe", "ignore", "pipe"] });
    this.#guard.stderr?.on("data", (bytes) => {
      this.#log += String(bytes);
      if (this.#pid === 0) this.#pid = Number(PROCESS_ID.exec(this.#log)?.[1] ?? 0);
      this.#heard();
    });
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        this.#hasEnded = true;
        this.#heard();
        resolve();
      };
      this.#guard.once("error", end);
      this.#guard.stderr?.once("end", end);
    });
  }

  get pid(): number {
    return this.#pid;
  }

  get log(): string {
    return this.#log;
  }

  /**
   * Waits until the log matches, and fails with the log if the program ends before or takes too
   * long.
   */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      return await new Promise((resolve, reject) => {
        const fail = (why: string): void =>
          reject(new Error(`the program ${why} ${pattern}:\n${this.#log}`));
        timer = setTimeout(() => fail("did not say in time"), PATIENCE_MS);
        this.#heard = () => {
          const match = pattern.exec(this.#log);
          if (match !== null) resolve(match);
          else if (this.#hasEnded) fail("ended before it said");
        };
        this.#heard();
      });
    } finally {
      clearTimeout(timer);
      this.#heard = () => {};
    }
  }

  /** Forgets the log so far. */
  forget(): void {
    this.#log = "";
  }

  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT" | "SIGHUP"): void {
    if (this.#hasEnded) return;
    if (this.#pid === 0) throw new Error(`the program has not said who it is:\n${this.#log}`);
    process.kill(this.#pid, signal);
  }

  /** Ends the program and keeps the guard, so that no other process gets its id. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#ended;
  }

  /** Ends both, and removes the folder. */
  async stop(): Promise<void> {
    await this.kill();
    if (this.#guard.exitCode !== null) return;
    const isOver = new Promise((resolve) => this.#guard.once("close", resolve));
    this.#guard.stdin?.end();
    await isOver;
  }
}
