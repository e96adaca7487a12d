/**
 * A real nats-server for one test file, on unused ports of this machine.
 *
 * It is ready within milliseconds. A test can kill it, freeze it, restart it on the same ports and
 * change its configuration while it runs. It ends with the process that started it. Only its
 * process id is ever used to stop it.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { GuardedRun } from "./guarded-run.ts";

export interface NatsServerOptions {
  /** Whether it stores streams, in a folder that is removed when it stops. */
  readonly jetStream?: boolean;
  /** Further configuration, in the server's own language: users, permissions, limits. */
  readonly config?: string;
  /** Makes it part of a NATS cluster, with routes to the servers that listen at these ports. */
  readonly routes?: readonly number[];
  /**
   * Does not advertise its address, so that other servers reach it only through configured routes.
   */
  readonly isHidden?: boolean;
}

const FINDER = fileURLToPath(new URL("../../../../scripts/nats-server.mjs", import.meta.url));
const HOST = "127.0.0.1";
const ANY_PORT = -1;
/** An address of this machine without a listener. */
const NOWHERE = `${HOST}:1`;
const POLL_MS = 5;
const POLLS_MAX = 2_000;

const READY = / Server is ready\n/;
const CLIENT_PORT = /Listening for client connections on [\d.]+:(\d+)\n/;
const ROUTE_PORT = /Listening for route connections on [\d.]+:(\d+)\n/;
const MONITOR_PORT = /Starting http monitor on [\d.]+:(\d+)\n/;
const RELOADED = /Reloaded server configuration|Failed to reload/;

let program: string | undefined;

export class NatsServer {
  readonly #options: NatsServerOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), "tidegate-nats-"));
  readonly #runs: GuardedRun[] = [];
  #config: string;
  #port = ANY_PORT;
  #routePort = ANY_PORT;
  #monitorPort = ANY_PORT;

  private constructor(options: NatsServerOptions) {
    this.#options = options;
    this.#config = options.config ?? "";
  }

  /** Starts a server; resolves when clients can connect. */
  static async start(options: NatsServerOptions = {}): Promise<NatsServer> {
    const server = new NatsServer(options);
    try {
      await server.#start();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** The address for clients; it stays the same after a restart. */
  get url(): string {
    return `nats://${HOST}:${this.#port}`;
  }

  /** The port for other servers of its NATS cluster. */
  get routePort(): number {
    return this.#routePort;
  }

  get pid(): number {
    return this.#run.pid;
  }

  /** Its log since the last start or change of configuration. */
  get log(): string {
    return this.#run.log;
  }

  /** Kills it, as a power cut would; resolves when it has ended. */
  async kill(): Promise<void> {
    await this.#run.kill();
  }

  /** Starts it again on the same ports, after killing it if it still runs. */
  async restart(): Promise<void> {
    await this.kill();
    await this.#start();
  }

  /** Freezes it, with all connections open, until it is thawed. */
  async freeze(): Promise<void> {
    this.#run.signal("SIGSTOP");
    while (!isStopped(this.pid)) await pause(POLL_MS);
  }

  thaw(): void {
    this.#run.signal("SIGCONT");
  }

  /** Loads another configuration, as an operator would; a restart keeps it. */
  async reload(config: string): Promise<void> {
    const run = this.#run;
    this.#config = config;
    writeFileSync(join(this.#folder, "server.conf"), config);
    run.forget();
    run.signal("SIGHUP");
    const [outcome] = await run.says(RELOADED);
    if (outcome.startsWith("Failed")) throw new Error(`the server refuses this:\n${run.log}`);
  }

  /** How many other servers it has a route to. */
  async routes(): Promise<number> {
    const { routes } = (await this.#monitored("routez")) as { routes: { remote_id: string }[] };
    return new Set(routes.map(({ remote_id }) => remote_id)).size;
  }

  /** How many clients it considers connected. */
  async clients(): Promise<number> {
    const { num_connections } = (await this.#monitored("connz")) as { num_connections: number };
    return num_connections;
  }

  /** Stops it for good and removes its storage. */
  async stop(): Promise<void> {
    for (const run of this.#runs) await run.stop();
  }

  get #run(): GuardedRun {
    const run = this.#runs.at(-1);
    if (run === undefined) throw new Error("this server was never started");
    return run;
  }

  async #monitored(page: string): Promise<unknown> {
    const answer = await fetch(`http://${HOST}:${this.#monitorPort}/${page}`);
    return answer.json();
  }

  async #start(): Promise<void> {
    const { jetStream = false, routes, isHidden = false } = this.#options;
    const file = join(this.#folder, "server.conf");
    writeFileSync(file, this.#config);
    const args = ["-a", HOST, "-p", `${this.#port}`, "-m", `${ANY_PORT}`, "-c", file];
    if (jetStream) args.push("-js", "-sd", this.#folder);
    if (routes !== undefined) {
      args.push("--cluster", `nats://${HOST}:${this.#routePort}`, "--cluster_name", "test");
      args.push("--routes", routes.map((port) => `nats://${HOST}:${port}`).join(","));
      if (isHidden) args.push("--no_advertise", "--cluster_advertise", NOWHERE);
    }
    const run = new GuardedRun(this.#folder, [natsServerProgram(), ...args]);
    this.#runs.push(run);
    await run.says(READY);
    this.#port = Number((await run.says(CLIENT_PORT))[1]);
    this.#monitorPort = Number((await run.says(MONITOR_PORT))[1]);
    if (routes !== undefined) this.#routePort = Number((await run.says(ROUTE_PORT))[1]);
  }
}

/** Servers that each have a route to every other; three by default. */
export async function startNatsCluster(count = 3): Promise<readonly NatsServer[]> {
  const servers: NatsServer[] = [];
  while (servers.length < count) {
    servers.push(await NatsServer.start({ routes: servers.map(({ routePort }) => routePort) }));
  }
  for (const server of servers) {
    for (let polls = 0; (await server.routes()) < count - 1; polls++) {
      if (polls === POLLS_MAX) throw new Error(`there are too few routes:\n${server.log}`);
      await pause(POLL_MS);
    }
  }
  return servers;
}

/** Whether all threads of a process have stopped; each stops when it runs next. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks).every((task) =>
      / \(.*\) T /.test(readFileSync(join(tasks, task, "stat"), "utf8")),
    );
  } catch {
    return true; // A system without /proc, or a process that has ended.
  }
}

/** The path of the program; determined once, because it may have to be downloaded. */
function natsServerProgram(): string {
  program ??= process.env["NATS_SERVER"] || findProgram();
  return program;
}

function findProgram(): string {
  try {
    return execFileSync(process.execPath, [FINDER], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch (error) {
    throw new Error((error as { stderr?: string }).stderr ?? String(error));
  }
}
