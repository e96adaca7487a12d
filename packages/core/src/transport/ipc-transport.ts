/**
 * Carries frames between processes of one machine, with nothing to install.
 *
 * All processes know one socket path. The process that finds no listener there listens itself and
 * becomes the relay: it forwards each frame to all other processes. When the relay ends, the others
 * notice at once; when it is stopped, after two seconds. Then one of them becomes the relay. Two
 * may do so at the same moment, and a stopped relay may go on later. So a relay steps down within
 * half a second when the file at the path is not its own. Anti-entropy repairs what was lost
 * meanwhile.
 */

import { connect, createServer, type Server } from "node:net";
import { CLUSTER_EVENTS, type Report } from "../base/cluster-events.ts";
import { TidegateError } from "../base/errors.ts";
import { shown } from "../base/options.ts";
import { framed, IpcLink, LIFE_MS, type LinkError, type LinkOwner } from "./ipc-link.ts";
import { closeAt, markOf, meetingPlace, removeMarked } from "./meeting-place.ts";
import { FRAME_BYTES_MAX, type Transport, type TransportContext } from "./transport.ts";

const RETRY_MS = 20;
const RETRY_MS_MAX = 1_000;
/** One or two failures are chance: another process was faster. */
const FAILURES_WORTH_TELLING = 3;

class IpcTransport implements Transport {
  /** Otherwise services of one user on one machine would share their limits by accident. */
  readonly needsNamespace = true;
  #receive: ((frame: Uint8Array) => void) | undefined;
  #report: Report = () => {};
  #changed: () => void = () => {};
  #namespace = "";
  /** In the relay: all connected processes. Otherwise: the relay, once it has answered. */
  readonly #links = new Set<IpcLink>();
  /**
   * Links whose other side has sent nothing yet. A stopped relay is one for processes that connect.
   */
  readonly #mute = new Set<IpcLink>();
  #server: Server | undefined;
  #path = "";
  /**
   * The file at the path: in the relay the one it created, otherwise the one it connected to last.
   */
  #mark = "";
  /** The file of a relay that did not answer: no process need connect there again. */
  #silentMark = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  /** Problems that were reported since it last worked. */
  readonly #reported = new Set<string>();
  #wasConnected = false;
  #wasBusy = false;

  get connected(): boolean {
    return this.#server !== undefined || this.#links.size > 0;
  }

  /**
   * One process that reads slowly or is stopped must not keep this one from sending to the others.
   */
  get busy(): boolean {
    for (const link of this.#links) if (!link.isFull) return false;
    return this.#links.size > 0;
  }

  open(receive: (frame: Uint8Array) => void, context: TransportContext): void {
    this.#receive = receive;
    this.#namespace = context.namespace;
    this.#report = (trouble, kind) => {
      try {
        context.report?.(trouble, kind);
      } catch {
        // There is nowhere to report that a report failed.
      }
    };
    if (context.changed !== undefined) this.#changed = context.changed;
    this.#meet();
  }

  publish(frame: Uint8Array): boolean {
    if (this.#receive === undefined || !this.connected) return false;
    return frame.length <= FRAME_BYTES_MAX && this.#send(frame, undefined);
  }

  async close(): Promise<void> {
    this.#receive = undefined;
    clearTimeout(this.#timer);
    await Promise.all(this.#part().map((link) => link.end()));
  }

  /** Connects to the relay, or becomes it. */
  #meet(): void {
    if (this.#receive === undefined) return;
    try {
      this.#path = meetingPlace(this.#namespace);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#mark = markOf(this.#path);
    if (this.#mark !== "" && this.#mark === this.#silentMark) {
      this.#relay();
      return;
    }
    const link = new IpcLink(connect(this.#path), this.#owner);
    this.#mute.add(link);
    link.showLife();
    link.expectLife();
  }

  /**
   * Listens at the path. A file without an answer was left by a process that died or was stopped.
   */
  #relay(): void {
    removeMarked(this.#path, this.#mark);
    const server = createServer((socket) => {
      const link = new IpcLink(socket, this.#owner);
      if (this.#server === server) this.#mute.add(link);
      else link.destroy();
    });
    server.on("error", (error) => {
      // The relay goes on without those that it cannot take.
      if (this.#server === server) this.#reportOnce(error);
      else this.#fail(error);
    });
    // A worker of node:cluster would otherwise listen through its parent, together with all
    // workers.
    server.listen({ path: this.#path, exclusive: true }, () => {
      if (this.#receive === undefined) {
        server.close();
        return;
      }
      this.#server = server;
      this.#mark = made;
      this.#succeed();
      this.#tend();
      this.#look();
    });
    // Read at once, before another process can have replaced it.
    const made = markOf(this.#path);
    server.unref();
  }

  /** The relay's periodic work. It steps down when the path leads to another process. */
  #tend(): void {
    this.#later(LIFE_MS, () => {
      if (this.#server === undefined) return;
      if (markOf(this.#path) !== this.#mark) {
        for (const link of this.#part()) link.destroy();
        this.#look();
        this.#meet();
        return;
      }
      for (const link of this.#links) {
        link.showLife();
        if (link.isStuck()) {
          this.#report(
            "another process of this machine does not read its frames, and misses the counts of the others: look whether it is stopped or overloaded",
            CLUSTER_EVENTS.ipcReaderStuck,
          );
        }
      }
      this.#tend();
    });
  }

  readonly #owner: LinkOwner = {
    answered: (link) => {
      if (!this.#mute.delete(link)) return;
      this.#links.add(link);
      if (this.#server === undefined) this.#succeed();
      else link.showLife();
      this.#look();
    },
    receive: (frame, link) => {
      if (!this.#links.has(link)) return;
      if (this.#server !== undefined) this.#send(frame, link);
      try {
        this.#receive?.(frame);
      } catch (error) {
        this.#report(`a receiver threw: ${String(error)}`, CLUSTER_EVENTS.transportFailed);
      }
    },
    drained: () => this.#look(),
    closed: (link, error) => {
      if (this.#mute.delete(link)) {
        if (this.#server === undefined) this.#unanswered(link, error);
      } else if (this.#links.delete(link)) {
        // The relay goes on without one of the others; a process without its relay needs another.
        if (this.#server === undefined) {
          if (link.isSilent) this.#silentMark = this.#mark;
          this.#retry();
        }
        this.#look();
      }
    },
  };

  #unanswered(link: IpcLink, error: LinkError | undefined): void {
    if (error?.code === "ENOENT" || error?.code === "ECONNREFUSED") {
      this.#relay();
    } else if (link.isSilent) {
      this.#silentMark = this.#mark;
      this.#fail("the process that relays does not answer");
    } else if (error === undefined || error.code === "EPIPE" || error.code === "ECONNRESET") {
      this.#fail(
        "the process that relays accepts no more connections: it may have no free descriptors",
      );
    } else {
      this.#fail(error);
    }
  }

  /** Sends a frame to all links but one; false if not all of them took it. */
  #send(frame: Uint8Array, except: IpcLink | undefined): boolean {
    if (this.#links.size === 0) return true;
    const bytes = framed(frame);
    let isSent = true;
    for (const link of this.#links) {
      if (link !== except && !link.send(bytes)) isSent = false;
    }
    if (this.busy) this.#wasBusy = true;
    return isSent;
  }

  #fail(trouble: unknown): void {
    this.#failures++;
    if (this.#failures >= FAILURES_WORTH_TELLING) this.#reportOnce(trouble);
    this.#retry();
  }

  #succeed(): void {
    this.#failures = 0;
    this.#silentMark = "";
    if (this.#reported.size === 0) return;
    this.#reported.clear();
    this.#report(
      "this process reaches other processes of this machine again",
      CLUSTER_EVENTS.ipcReachable,
    );
  }

  /** Reports a problem once, however long it lasts. */
  #reportOnce(trouble: unknown): void {
    const sentence = String(trouble);
    if (this.#reported.has(sentence)) return;
    this.#reported.add(sentence);
    this.#report(
      `this process cannot reach other processes of this machine: ${sentence}`,
      CLUSTER_EVENTS.ipcUnreachable,
    );
  }

  #retry(): void {
    if (this.#receive === undefined) return;
    // All processes that lost their relay retry now: chance decides which one is first.
    const waitMs = Math.min(RETRY_MS * 2 ** Math.min(this.#failures, 6), RETRY_MS_MAX);
    this.#later(waitMs * Math.random(), () => this.#meet());
  }

  #later(afterMs: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, afterMs);
    this.#timer.unref();
  }

  /** Calls `changed` if `connected` has changed, or if the transport is not busy any more. */
  #look(): void {
    const isEased = this.#wasBusy && !this.busy;
    if (isEased) this.#wasBusy = false;
    if (this.connected === this.#wasConnected && !isEased) return;
    this.#wasConnected = this.connected;
    if (this.#receive === undefined) return;
    try {
      this.#changed();
    } catch (error) {
      this.#report(`a listener threw: ${String(error)}`, CLUSTER_EVENTS.transportFailed);
    }
  }

  /** Releases everything; returns the links, which still have to end. */
  #part(): readonly IpcLink[] {
    const links = [...this.#links];
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) closeAt(server, this.#path, this.#mark);
    this.#links.clear();
    for (const link of this.#mute) link.destroy();
    this.#mute.clear();
    return links;
  }
}

/**
 * Connects all processes of this user on this machine that share the namespace, however they were
 * started: `node:cluster`, PM2, `fork`, worker threads, or from a shell.
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
