/** What `start.mjs` writes: what to try, once, and then how it goes, in place where that is possible. */

const { stdout } = process;
const CLEAR_LINE = "\x1b[2K";
const CLEAR_BELOW = "\x1b[J";
const PROCESS_WIDTH = 7;

export class Screen {
  #servers;
  #isIntroduced = false;
  #shown = "";
  #lines = 0;

  constructor(servers) {
    this.#servers = servers;
  }

  show() {
    if (this.#servers.some(({ address, counts }) => !address || !counts)) return;
    if (!this.#isIntroduced) this.#introduce();
    const lines = this.#table();
    const text = lines.join("\n");
    if (text === this.#shown) return;
    const clear = stdout.isTTY ? CLEAR_LINE : "";
    stdout.write(`${this.#up()}${lines.map((line) => `${clear}${line}\n`).join("")}`);
    this.#shown = text;
    this.#lines = lines.length;
  }

  /** Writes a line that stays, above the table. */
  note(line) {
    stdout.write(`${this.#up()}${stdout.isTTY ? CLEAR_BELOW : ""}${line}\n`);
    this.#shown = "";
    this.#lines = 0;
    this.show();
  }

  /** Leads back to the first line of the table. */
  #up() {
    return stdout.isTTY && this.#lines > 0 ? `\x1b[${this.#lines}A` : "";
  }

  #introduce() {
    this.#isIntroduced = true;
    const [express, koa, fastify] = this.#servers.map(({ address }) => address);
    const steps = [
      [`curl -iw '\\n' ${express}`, ""],
      [`curl -iw '\\n' ${koa}`, "one fewer left, though this is a different process"],
      [`for i in 1 2 3 4 5; do curl -sw '\\n' ${express} ${koa} ${fastify}; done`, ""],
      [`curl -iw '\\n' ${fastify}`, "refused: see Retry-After, and the body"],
      [`kill -9 ${this.#servers[1].child.pid}`, "Koa; the others go on, and remember"],
    ];
    stdout.write(`
Three processes share one limit: 12 requests a minute for each client.

${this.#servers.map(({ name, address }) => `  ${name.padEnd(8)} ${address}`).join("\n")}

Try this in another terminal, and watch what happens here:

${steps.map(([command, why]) => `  ${command.padEnd(39)}${why && `  # ${why}`}`).join("\n")}

Once in a while one more than 12 may pass: each process decides alone, and hears what the others have
counted a few milliseconds later.

Ctrl+C ends all three.

`);
  }

  #table() {
    const rows = this.#servers.map((server) => {
      const { allowed, refused } = server.counts;
      const process = `${server.name.padEnd(8)} ${this.#processOf(server)}`;
      const part = "█".repeat(Math.min(allowed, 40));
      return `${process}${columns(allowed, refused)}  ${part}${this.#hearing(server)}`;
    });
    const sum = (what) => this.#servers.reduce((total, { counts }) => total + counts[what], 0);
    const total = `${"together".padEnd(9 + PROCESS_WIDTH)}${columns(sum("allowed"), sum("refused"))}`;
    return [`${" ".repeat(9)}process  allowed  refused`, ...rows, total];
  }

  #processOf({ isRunning, child }) {
    return (isRunning ? String(child.pid) : "ended").padStart(PROCESS_WIDTH);
  }

  /** Of the others that run, how many it hears, unless these are all. */
  #hearing(server) {
    if (!server.isRunning) return "";
    const others = this.#servers.filter((other) => other !== server && other.isRunning);
    const heard = others.filter(({ counts }) => server.counts.heard.includes(counts.replica));
    if (heard.length === others.length) return "";
    return `  hears ${heard.length} of ${others.length} others`;
  }
}

function columns(allowed, refused) {
  return `${String(allowed).padStart(9)}${String(refused).padStart(9)}`;
}
