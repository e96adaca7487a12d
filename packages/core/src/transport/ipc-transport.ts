/**
 * Frames between processes of one machine, with nothing to install.
 *
 * All of them know one socket. Who finds nobody there listens on it and relays: whatever one says
 * goes to all others. When the relay ends the others notice at once, when it is stopped after two
 * seconds, and one of them takes its place. Two may do so at the same moment, and one that was stopped
 * goes on later; whose socket is not the one at the path any more steps down within half a second.
 * What was lost meanwhile is asked for again, as always.
 */

import { connect, createServer, type Server } from "node:net";
import { CLUSTER_EVENTS, type Report } from "../base/cluster-events.ts";
import { TidegateError } from "../base/errors.ts";
import { shown } from "../base/options.ts";
import { framed } from "./frame-stream.ts";
import { IpcLink, LIFE_MS, type LinkError, type LinkOwner } from "./ipc-link.ts";
import { meetingPlace } from "./meeting-place.ts";
import { closeAt, markOf, removeMarked } from "./socket-file.ts";
import type { Transport, TransportContext } from "./transport.ts";

const RETRY_MS = 20;
const RETRY_MS_MAX = 1_000;
/** One or two are chance: somebody else was faster. */
const FAILURES_WORTH_TELLING = 3;

class IpcTransport implements Transport {
  /** Services of one user on one machine would share their limits by accident. */
  readonly needsNamespace = true;
  #receive: ((frame: Uint8Array) => void) | undefined;
  #report: Report = () => {};
  #changed: () => void = () => {};
  #namespace = "";
  /** As the relay: everybody who is connected. Otherwise the relay, once it is. */
  readonly #links = new Set<IpcLink>();
  /** Those of them who have not said anything yet. A relay that is stopped is one, to newcomers. */
  readonly #mute = new Set<IpcLink>();
  #server: Server | undefined;
  #path = "";
  /** The file at the path: as the relay the one it made, otherwise the one it has knocked at last. */
  #mark = "";
  /** The file of a relay that did not answer: nobody need knock there again. */
  #silentMark = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  /** What has been reported since it last worked. */
  readonly #told = new Set<string>();
  #wasConnected = false;
  #wasBusy = false;

  get connected(): boolean {
    return this.#server !== undefined || this.#links.size > 0;
  }

  /** One process that reads slowly, or is stopped, must not keep this one from telling the others. */
  get busy(): boolean {
    for (const link of this.#links) if (!link.isFull) return false;
    return this.#links.size > 0;
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

  /** Listens at the path. A file that nobody answers at was left by a process that died or stopped. */
  #relay(): void {
    removeMarked(this.#path, this.#mark);
    const server = createServer((socket) => {
      const link = new IpcLink(socket, this.#owner);
      if (this.#server === server) this.#mute.add(link);
      else link.destroy();
    });
    server.on("error", (error) => {
      // The relay goes on without those that it cannot take.
      if (this.#server === server) this.#tell(error);
      else this.#fail(error);
    });
    // A worker of node:cluster would otherwise listen through its parent, together with all others.
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
    // Read at once, before anybody else can have replaced it.
    const made = markOf(this.#path);
    server.unref();
  }

  /** What the relay does again and again. It steps down when the path leads to somebody else. */
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
            "a process of this machine does not read: it misses what others say",
            CLUSTER_EVENTS.ipcReaderStuck,
          );
        }
      }
      this.#tend();
    });
  }

  readonly #owner: LinkOwner = {
    greeted: (link) => {
      if (!this.#mute.delete(link)) return;
      this.#links.add(link);
      if (this.#server === undefined) this.#succeed();
      else link.showLife();
      this.#look();
    },
    hear: (frame, link) => {
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
        // The relay goes on without one of the others; the others need another relay.
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
      this.#fail("the process that relays takes no more: it may have no free descriptors");
    } else {
      this.#fail(error);
    }
  }

  /** Sends a frame to all but one; false if not everybody took it. */
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
    if (this.#failures >= FAILURES_WORTH_TELLING) this.#tell(trouble);
    this.#retry();
  }

  #succeed(): void {
    this.#failures = 0;
    this.#silentMark = "";
    if (this.#told.size === 0) return;
    this.#told.clear();
    this.#report("reaches other processes of this machine again", CLUSTER_EVENTS.ipcReachable);
  }

  /** Trouble lasts, and is said once. */
  #tell(trouble: unknown): void {
    const sentence = String(trouble);
    if (this.#told.has(sentence)) return;
    this.#told.add(sentence);
    this.#report(
      `cannot reach other processes of this machine: ${sentence}`,
      CLUSTER_EVENTS.ipcUnreachable,
    );
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

  /** Says whether it is connected, if that is not what was said before, and that it is not busy now. */
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

  /** Lets go of everybody; returns the links, which still have to end. */
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
