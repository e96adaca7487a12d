/**
 * One connection between a process and the relay of its machine, as either of them sees it.
 *
 * What waits to be sent is bounded; what goes beyond is dropped for this link alone. A link that is
 * listened to closes when it has said nothing for too long: connecting to a process that is stopped
 * succeeds, and so does writing to it for a while.
 */

import type { Socket } from "node:net";
import { FrameStream, signOfLife } from "./frame-stream.ts";

/** How often the relay says that it is there, and the others look whether it has. */
export const LIFE_MS = 500;
/**
 * Looks in a row that find nothing, the first of which may come right after something. They are
 * counted, and not milliseconds, because whoever was stopped itself looks late.
 */
const SILENT_LOOKS_MAX = 5;
/** Bytes that may wait for one slow process; beyond, frames for it are dropped. */
const QUEUE_BYTES_MAX = 1_048_576;
/** How long closing waits for a process that does not read. */
const LINGER_MS = 500;

export type LinkError = Error & { readonly code?: string };

export interface LinkOwner {
  /** The other side has said something that can be understood; called once, before any frame. */
  greeted(link: IpcLink): void;
  hear(frame: Uint8Array, link: IpcLink): void;
  /** All that waited to be sent has left. */
  drained(link: IpcLink): void;
  closed(link: IpcLink, error: LinkError | undefined): void;
}

export class IpcLink {
  readonly #socket: Socket;
  readonly #owner: LinkOwner;
  #looks: ReturnType<typeof setInterval> | undefined;
  #isGreeted = false;
  #silentLooks = 0;
  #drops: "none" | "new" | "told" = "none";
  #error: LinkError | undefined;

  constructor(socket: Socket, owner: LinkOwner) {
    this.#socket = socket;
    this.#owner = owner;
    const stream = new FrameStream((frame) => {
      this.#greet();
      owner.hear(frame, this);
    });
    socket.unref();
    socket.on("data", (bytes) => {
      this.#silentLooks = 0;
      if (stream.push(bytes)) this.#greet();
      else socket.destroy();
    });
    socket.on("error", (error) => {
      this.#error = error;
    });
    socket.on("drain", () => {
      if (this.#drops === "new") this.#drops = "none";
      owner.drained(this);
    });
    socket.once("close", () => {
      clearInterval(this.#looks);
      owner.closed(this, this.#error);
    });
  }

  /** Whether it was closed because nothing was heard for too long. */
  get isSilent(): boolean {
    return this.#silentLooks >= SILENT_LOOKS_MAX;
  }

  /** Whether what is sent now has to wait for what was sent before. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /** Closes it when the other side, which says often that it is there, does so no more. */
  expectLife(): void {
    this.#looks = setInterval(() => {
      this.#silentLooks++;
      if (this.isSilent) this.#socket.destroy();
    }, LIFE_MS);
    this.#looks.unref();
  }

  /** Says that this side is there, unless it is about to say more than that anyway. */
  showLife(): void {
    if (this.#socket.writableLength === 0) this.#socket.write(signOfLife());
  }

  /** Sends a frame that has its length in front; false if it was dropped. */
  send(bytes: Buffer): boolean {
    if (this.#socket.writableLength + bytes.length > QUEUE_BYTES_MAX) {
      if (this.#drops === "none") this.#drops = "new";
      return false;
    }
    this.#socket.write(bytes);
    return true;
  }

  /** True once: when frames have been dropped, and those before them still wait. */
  isStuck(): boolean {
    if (this.#drops !== "new") return false;
    this.#drops = "told";
    return true;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Ends it when all that was sent has left, or when that takes too long. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#socket.destroy(), LINGER_MS);
      this.#socket.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
      this.#socket.end(() => this.#socket.destroy());
    });
  }

  #greet(): void {
    if (this.#isGreeted) return;
    this.#isGreeted = true;
    this.#owner.greeted(this);
  }
}
