/**
 * What `start.mjs` writes: what to try, once, and then how it goes, in place where that is possible.
 *
 * All of it fits into 60 columns and 24 rows. A line that wraps would take more rows than are gone back.
 */

import { limits } from "./limits.mjs";

const CLEAR_LINE = "\x1b[2K";
const CLEAR_BELOW = "\x1b[J";
const PROCESS_WIDTH = 7;
const BAR_MAX = 14;

export class Screen {
  #servers;
  #natsPid;
  #out;
  #isIntroduced = false;
  #shown = "";
  #lines = 0;

  /** @param {string} [natsPid] the process of a nats-server that is there for this alone */
  constructor(servers, natsPid, out = process.stdout) {
    this.#servers = servers;
    this.#natsPid = natsPid;
    this.#out = out;
  }

  show() {
    if (this.#servers.some(({ address, counts }) => !address || !counts)) return;
    if (!this.#isIntroduced) this.#introduce();
    const { isTTY, columns = 80 } = this.#out;
    const lines = this.#table();
    // Each second changes the line of the window. Where lines stay, only requests are worth a new table.
    const text = (isTTY ? lines : lines.slice(0, -1)).join("\n");
    if (text === this.#shown) return;
    const written = lines.map((line) => (isTTY ? CLEAR_LINE + line.slice(0, columns) : line));
    this.#out.write(`${this.#up()}${written.join("\n")}\n`);
    this.#shown = text;
    this.#lines = lines.length;
  }

  /** Writes a line that stays, above the table. */
  note(line) {
    this.#out.write(`${this.#up()}${this.#out.isTTY ? CLEAR_BELOW : ""}${line}\n`);
    this.#shown = "";
    this.#lines = 0;
    this.show();
  }

  /** Leads back to the first line of the table. */
  #up() {
    return this.#out.isTTY && this.#lines > 0 ? `\x1b[${this.#lines}A` : "";
  }

  #introduce() {
    this.#isIntroduced = true;
    const [express, koa, fastify] = this.#servers.map(({ address }) => address);
    const steps = [
      [`curl -iw '\\n' ${express}`, ""],
      [`curl -iw '\\n' ${koa}`, "one fewer left"],
      [`curl -sw '\\n' '${everyAddress(this.#servers)}/?[1-5]'`, ""],
      [`curl -iw '\\n' ${fastify}`, "429, refused"],
      [`kill -9 ${this.#servers[1].child.pid}`, "Koa; the others go on"],
      ...(this.#natsPid ? [[`kill ${this.#natsPid}`, "NATS; each is alone"]] : []),
    ];
    this.#out.write(`Three processes, one limit: ${limits.limit} requests a minute a client.

${this.#servers.map(({ name, address }) => `  ${name.padEnd(8)} ${address}`).join("\n")}

Try this in another terminal, and watch this one:

${steps.map(([command, why]) => `  ${why ? `${command.padEnd(32)} # ${why}` : command}`).join("\n")}

Ctrl+C ends all.

`);
  }

  #table() {
    const now = Date.now();
    const rows = this.#servers.map((server) => {
      const { allowed, refused } = inWindow(server.counts, now);
      const process = `${server.name.padEnd(8)} ${this.#processOf(server)}`;
      const bar = "█".repeat(Math.min(allowed, BAR_MAX));
      return `${process}${columns(allowed, refused)}  ${this.#receiving(server) || bar}`;
    });
    const all = this.#servers.map(({ counts }) => inWindow(counts, now));
    const sum = (what) => all.reduce((total, counts) => total + counts[what], 0);
    const total = `${"together".padEnd(9 + PROCESS_WIDTH)}${columns(sum("allowed"), sum("refused"))}`;
    return [`${" ".repeat(9)}process  allowed  refused`, ...rows, total, this.#window(all, now)];
  }

  /** How much of the limit is used, and when it is free again, as the latest answer told a client. */
  #window(all, now) {
    const { used, endsAt } = all.reduce((one, other) => (other.at > one.at ? other : one));
    if (this.#servers.some((server) => this.#receiving(server)))
      return "until they reach each other, each counts alone";
    if (endsAt <= now) return `0 of ${limits.limit}`;
    const seconds = Math.ceil((endsAt - now) / 1_000);
    const over = used > limits.limit ? `; ${used - limits.limit} passed before all knew` : "";
    return `${used} of ${limits.limit}, resets in ${seconds} s${over}`;
  }

  #processOf({ isRunning, child }) {
    return (isRunning ? String(child.pid) : "ended").padStart(PROCESS_WIDTH);
  }

  /** From how many of the others that run it receives frames; empty if from all. */
  #receiving(server) {
    if (!server.isRunning) return "";
    const others = this.#servers.filter((other) => other !== server && other.isRunning);
    const received = others.filter(({ counts }) => server.counts.received.includes(counts.replica));
    if (received.length === others.length) return "";
    return `receives ${received.length} of ${others.length} others`;
  }
}

/** Counts are of one window, and nothing once that has ended. */
export function inWindow(counts, now) {
  return now < counts.endsAt ? counts : { ...counts, allowed: 0, refused: 0, endsAt: 0 };
}

/** All addresses as one that curl expands. */
function everyAddress(servers) {
  const ports = servers.map(({ address }) => Number(new URL(address).port));
  const follow = ports.every((port, index) => port === ports[0] + index);
  return `http://127.0.0.1:${follow ? `[${ports[0]}-${ports.at(-1)}]` : `{${ports.join(",")}}`}`;
}

function columns(allowed, refused) {
  return `${String(allowed).padStart(9)}${String(refused).padStart(9)}`;
}
