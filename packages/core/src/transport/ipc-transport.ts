/**
 * Frames between processes of one machine, with nothing to install.
 *
 * All of them know one socket. Who finds nobody there listens on it and relays: whatever one says
 * goes to all others. When the relay ends, the others notice at once, and one of them takes its
 * place. Two may do so at the same moment; the one whose socket is not the one at the path any more
 * steps down within a second, and what was lost meanwhile is asked for again, as always.
 */

import { renameSync, statSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { TidegateError } from "../errors.ts";
import { shown } from "../options.ts";
import { FrameStream, framed } from "./frame-stream.ts";
import { meetingPlace } from "./meeting-place.ts";
import type { Transport, TransportContext } from "./transport.ts";

/** Bytes that may wait for one slow process; beyond, frames for it are dropped. */
const QUEUE_BYTES_MAX = 1_048_576;
const RETRY_MS = 20;
const RETRY_MS_MAX = 1_000;
const WATCH_MS = 1_000;
/** How long closing waits for a process that does not read. */
const LINGER_MS = 500;

class IpcTransport implements Transport {
  /** Services of one user on one machine would share their limits by accident. */
  readonly needsNamespace = true;
  #receive: ((frame: Uint8Array) => void) | undefined;
  #report: (trouble: string) => void = () => {};
  #changed: () => void = () => {};
  #namespace = "";
  /** As the relay: everybody who is connected. Otherwise the relay, once it is. */
  readonly #links = new Set<Socket>();
  #server: Server | undefined;
  /** What tells the file at the path that this one made from any other. */
  #made = "";
  #path = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #wasConnected = false;

  get connected(): boolean {
    return this.#server !== undefined || this.#links.size > 0;
  }

  get busy(): boolean {
    for (const link of this.#links) if (link.writableNeedDrain) return true;
    return false;
  }

  open(receive: (frame: Uint8Array) => void, context: TransportContext): void {
    this.#receive = receive;
    this.#namespace = context.namespace;
    if (context.report !== undefined) this.#report = context.report;
    if (context.changed !== undefined) this.#changed = context.changed;
    this.#meet();
  }

  publish(frame: Uint8Array): boolean {
    return this.#receive !== undefined && this.connected && this.#send(frame, undefined);
  }

  async close(): Promise<void> {
    this.#receive = undefined;
    clearTimeout(this.#timer);
    await Promise.all(this.#part().map(ended));
  }

  /** Connects to the relay, or becomes it. */
  #meet(): void {
    if (this.#receive === undefined) return;
    let path: string;
    try {
      path = meetingPlace(this.#namespace);
    } catch (error) {
      this.#fail(error);
      return;
    }
    const socket = connect(path);
    socket.unref();
    socket.once("connect", () => this.#adopt(socket));
    socket.once("error", (error: Error & { readonly code?: string }) => {
      if (this.#links.has(socket)) return;
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") this.#relay(path, error.code);
      else this.#fail(error);
    });
  }

  /** Listens at the path. A socket that nobody answers at was left there by a process that died. */
  #relay(path: string, code: string): void {
    if (this.#receive === undefined) return;
    try {
      if (code === "ECONNREFUSED" && process.platform !== "win32") unlinkSync(path);
    } catch {
      // Somebody else was faster.
    }
    const server = createServer((socket) => this.#adopt(socket));
    server.once("error", (error) => this.#fail(error));
    // A worker of node:cluster would otherwise listen through its parent, together with all others.
    server.listen({ path, exclusive: true }, () => {
      if (this.#receive === undefined) {
        server.close();
        return;
      }
      this.#server = server;
      this.#made = made;
      this.#path = path;
      this.#failures = 0;
      this.#watch(path);
      this.#look();
    });
    // Read at once, before anybody else can have replaced it.
    const made = markOf(path);
    server.unref();
  }

  /** Steps down when the path leads to somebody else. */
  #watch(path: string): void {
    this.#later(WATCH_MS, () => {
      if (this.#server === undefined) return;
      if (markOf(path) === this.#made) {
        this.#watch(path);
        return;
      }
      for (const socket of this.#part()) socket.destroy();
      this.#look();
      this.#meet();
    });
  }

  #adopt(socket: Socket): void {
    if (this.#receive === undefined) {
      socket.destroy();
      return;
    }
    this.#failures = 0;
    this.#links.add(socket);
    socket.unref();
    const stream = new FrameStream((frame) => this.#hear(frame, socket));
    socket.on("data", (bytes) => {
      if (!stream.push(bytes)) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("drain", () => {
      if (!this.busy) this.#tell();
    });
    socket.once("close", () => {
      this.#links.delete(socket);
      // The relay goes on without one of the others; the others need another relay.
      if (this.#server === undefined) this.#retry();
      this.#look();
    });
    this.#look();
  }

  #hear(frame: Uint8Array, from: Socket): void {
    if (this.#server !== undefined) this.#send(frame, from);
    try {
      this.#receive?.(frame);
    } catch (error) {
      this.#report(`a receiver threw: ${String(error)}`);
    }
  }

  /** Sends a frame to all but one; false if not everybody took it. */
  #send(frame: Uint8Array, except: Socket | undefined): boolean {
    if (this.#links.size === 0) return true;
    const bytes = framed(frame);
    let isSent = true;
    for (const socket of this.#links) {
      if (socket === except) continue;
      if (socket.writableLength + bytes.length > QUEUE_BYTES_MAX) isSent = false;
      else socket.write(bytes);
    }
    return isSent;
  }

  #fail(error: unknown): void {
    this.#failures++;
    this.#report(`cannot reach other processes of this machine: ${String(error)}`);
    this.#retry();
  }

  #retry(): void {
    if (this.#receive === undefined) return;
    // All who lost their relay try again now: chance decides who is first.
    const waitMs = Math.min(RETRY_MS * 2 ** Math.min(this.#failures, 6), RETRY_MS_MAX);
    this.#later(waitMs * Math.random(), () => this.#meet());
  }

  #later(afterMs: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, afterMs);
    this.#timer.unref();
  }

  /** Says whether it is connected, if that is not what was said before. */
  #look(): void {
    if (this.connected === this.#wasConnected) return;
    this.#wasConnected = this.connected;
    this.#tell();
  }

  #tell(): void {
    if (this.#receive === undefined) return;
    try {
      this.#changed();
    } catch (error) {
      this.#report(`a listener threw: ${String(error)}`);
    }
  }

  /** Lets go of everybody; returns the sockets, which still have to end. */
  #part(): readonly Socket[] {
    const links = [...this.#links];
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) closeAt(server, this.#path, markOf(this.#path) === this.#made);
    this.#links.clear();
    return links;
  }
}

/**
 * Connects all processes of this user on this machine that share the namespace, whatever started
 * them: `node:cluster`, PM2, `fork`, worker threads, or a shell each.
 *
 * @example
 * const cluster = joinCluster({ namespace: "shop", transport: ipcTransport() });
 */
export function ipcTransport(): Transport;
export function ipcTransport(...given: readonly unknown[]): Transport {
  if (given[0] !== undefined) {
    throw new TidegateError(
      "TIDEGATE_OPTION_UNKNOWN",
      `ipcTransport takes no options, got ${shown(given[0])}: 'namespace' belongs to joinCluster, and the folder of the socket to the variable XDG_RUNTIME_DIR`,
    );
  }
  return new IpcTransport();
}

/** Ends a socket when all that was written to it has left, or when that takes too long. */
function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    socket.end(() => socket.destroy());
  });
}

/**
 * Stops listening. The runtime takes the file at the path away with it, whosever that is by now: one
 * that somebody else has made in the meantime is moved aside for that moment.
 */
function closeAt(server: Server, path: string, isOwn: boolean): void {
  const aside = `${path}.${process.pid}`;
  let isAside = false;
  try {
    if (!isOwn) renameSync(path, aside);
    isAside = !isOwn;
  } catch {
    // There is no file.
  }
  server.close();
  try {
    if (isAside) renameSync(aside, path);
  } catch {
    // Whoever listens there notices that it has gone, and makes another.
  }
}

/** Its number alone is not enough: file systems give it to the next file as soon as it is free. */
function markOf(path: string): string {
  try {
    const { ino, ctimeNs } = statSync(path, { bigint: true });
    return `${ino} ${ctimeNs}`;
  } catch {
    return "";
  }
}
