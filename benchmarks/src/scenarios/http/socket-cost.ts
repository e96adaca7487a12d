/**
 * How long a request takes over a socket of this machine, one after the other on one connection.
 *
 * Server and client are in one process, so both are in the figure, and most of it is the line. It tells
 * how little of a request a limiter is; no claim is judged by it.
 */

import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type FrameworkName, type LimiterName, siteOf } from "../../http/site.ts";
import { timeRounds } from "../../measure/rounds.ts";
import { quantile, type Summary, summarize } from "../../measure/statistics.ts";

export interface SocketCostParameters {
  readonly framework: FrameworkName;
  readonly requests: number;
  readonly rounds: number;
}

export interface SocketCostRecord {
  readonly kind: "socketCost";
  readonly framework: FrameworkName;
  readonly limiter: LimiterName | "nothing";
  readonly requests: number;
  readonly rounds: number;
  /** Nanoseconds of a request. */
  readonly whole: Summary;
  readonly lowNs: number;
}

const SUBJECTS: readonly (LimiterName | "nothing")[] = ["nothing", "tidegate", "peer", "by hand"];
const REQUEST = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
const BODY_END = "admitted";
const WARM_UP_ROUNDS = 3;

export async function measureSocketCost(
  { framework, requests, rounds }: SocketCostParameters,
  progress: (activity: string) => void,
): Promise<SocketCostRecord[]> {
  const make = await siteOf(framework);
  const lines = await Promise.all(
    SUBJECTS.map(async (limiter) => Line.open(createServer(await make(limiter, true)))),
  );
  const lanes = lines.map((line, index) => ({
    title: SUBJECTS[index]!,
    prepare: async () => 1,
    time: () => line.time(requests),
  }));
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const lane of lanes) await lane.time();
  }
  const { samples } = await timeRounds(lanes, rounds, async (round) => {
    progress(`round ${round + 1} of ${rounds}`);
  });
  for (const line of lines) line.close();
  return SUBJECTS.map((limiter, index) => ({
    ...({ kind: "socketCost", framework, limiter, requests, rounds } as const),
    ...{ whole: summarize(samples[index]!), lowNs: quantile(samples[index]!, 0.1) },
  }));
}

/** A server and the one connection to it. */
class Line {
  readonly #server: Server;
  readonly #socket: Socket;
  #answered: () => void = () => {};

  static async open(server: Server): Promise<Line> {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    await new Promise((resolve, reject) => socket.on("connect", resolve).on("error", reject));
    return new Line(server, socket.setNoDelay(true));
  }

  constructor(server: Server, socket: Socket) {
    this.#server = server;
    this.#socket = socket;
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
      if (!text.includes(BODY_END)) return;
      if (!text.startsWith("HTTP/1.1 200 ")) throw new Error(`the answer was ${text}`);
      text = "";
      this.#answered();
    });
  }

  /** Nanoseconds per request. */
  async time(requests: number): Promise<number> {
    const begun = process.hrtime.bigint();
    for (let request = 0; request < requests; request++) {
      await new Promise<void>((resolve) => {
        this.#answered = resolve;
        this.#socket.write(REQUEST);
      });
    }
    return Number(process.hrtime.bigint() - begun) / requests;
  }

  close(): void {
    this.#socket.destroy();
    this.#server.close();
  }
}
