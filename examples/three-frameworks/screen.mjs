/** What `start.mjs` writes: what to try, once, and then how it goes, in place where that is possible. */

const { stdout } = process;
const CLEAR_LINE = "\x1b[2K";

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
    const up = stdout.isTTY && this.#lines > 0 ? `\x1b[${this.#lines}A` : "";
    const clear = stdout.isTTY ? CLEAR_LINE : "";
    stdout.write(`${up}${lines.map((line) => `${clear}${line}\n`).join("")}`);
    this.#shown = text;
    this.#lines = lines.length;
  }

  #introduce() {
    this.#isIntroduced = true;
    const [express, koa, fastify] = this.#servers.map(({ address }) => address);
    const steps = [
      [`curl -i ${express}`, ""],
      [`curl -i ${koa}`, "one less remains, although it is another process"],
      [`for i in 1 2 3 4 5; do curl -s ${express} ${koa} ${fastify}; done`, ""],
      [`curl -i ${fastify}`, "refused: see Retry-After, and the body"],
      [`kill -9 ${this.#servers[1].child.pid}`, "Koa; the others go on, and remember"],
    ];
    stdout.write(`
Three processes share one limit: 12 requests a minute for each client.

${this.#servers.map(({ name, address }) => `  ${name.padEnd(8)} ${address}`).join("\n")}

Try this in another terminal, and watch what happens here:

${steps.map(([command, why]) => `  ${command.padEnd(34)}${why && `  # ${why}`}`).join("\n")}

Ctrl+C ends all three.

`);
  }

  #table() {
    const rows = this.#servers.map(({ name, counts: { allowed, refused, others } }) => {
      const part = "█".repeat(Math.min(allowed, 40));
      const sees = others === 2 ? "" : `  hears ${others} of 2 others`;
      return `${name.padEnd(9)}${String(allowed).padStart(8)}${String(refused).padStart(9)}  ${part}${sees}`;
    });
    const sum = (what) => this.#servers.reduce((total, { counts }) => total + counts[what], 0);
    const total = `${"together".padEnd(9)}${String(sum("allowed")).padStart(8)}${String(sum("refused")).padStart(9)}`;
    return [`${" ".repeat(9)} allowed  refused`, ...rows, total];
  }
}
