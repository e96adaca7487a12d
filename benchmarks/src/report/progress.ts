/**
 * What is being done at the moment, on standard error, so that results can be piped elsewhere.
 *
 * A terminal shows one line that changes; anything else gets a line per job.
 */

import { stderr } from "node:process";

export class Progress {
  #title = "";

  /** Names the job that begins. */
  begin(title: string): void {
    this.#title = title;
    if (!stderr.isTTY) stderr.write(`${title}\n`);
    else this.activity("");
  }

  /** Says what the job is at. */
  activity(activity: string): void {
    if (!stderr.isTTY) return;
    const text = activity === "" ? this.#title : `${this.#title}: ${activity}`;
    stderr.write(`\r\x1b[K${text.slice(0, stderr.columns - 1)}`);
  }

  /** Clears the line, to make room for a result. */
  end(): void {
    if (stderr.isTTY) stderr.write("\r\x1b[K");
  }
}
