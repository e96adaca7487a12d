/**
 * One connection between a process and the relay of its machine, as seen from either side.
 *
 * It carries frames, each after its length as 32 bits, little endian. One length that no frame has
 * is a sign of life. The queue of bytes to send is bounded; frames beyond it are dropped for this
 * link alone. A link that expects signs of life closes when none has arrived for too long. Nothing
 * else shows a stopped process: connecting to it succeeds, and so does writing to it for a while.
 */

import type { Socket } from "node:net";
import { FRAME_BYTES_MAX } from "./transport.ts";

/** How often the relay shows that it is alive, and other processes check that. */
export const LIFE_MS = 500;
/**
 * Checks in a row without a sign of life; the first may come right after one. They are counted, not
 * milliseconds, because a process that was stopped itself checks late.
 */
const SILENT_LOOKS_MAX = 5;
/** Bytes that may wait for one slow process; further frames for it are dropped. */
const QUEUE_BYTES_MAX = 1_048_576;
/** How long closing waits for a process that does not read. */
const LINGER_MS = 500;

export type LinkError = Error & { readonly code?: string };

export interface LinkOwner {
  /** The other side has sent something that is understood; called each time, before any frame. */
  answered(link: IpcLink): void;
  receive(frame: Uint8Array, link: IpcLink): void;
  /** All waiting bytes have left. */
  drained(link: IpcLink): void;
  closed(link: IpcLink, error: LinkError | undefined): void;
}

export class IpcLink {
  readonly #socket: Socket;
  #looks: ReturnType<typeof setInterval> | undefined;
  #silentLooks = 0;
  #drops: "none" | "new" | "reported" = "none";
  #error: LinkError | undefined;

  constructor(socket: Socket, owner: LinkOwner) {
    this.#socket = socket;
    const stream = new FrameStream((frame) => {
      owner.answered(this);
      owner.receive(frame, this);
    });
    socket.unref();
    socket.on("data", (bytes) => {
      this.#silentLooks = 0;
      if (stream.push(bytes)) owner.answered(this);
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

  /** Whether it was closed because no sign of life arrived for too long. */
  get isSilent(): boolean {
    return this.#silentLooks >= SILENT_LOOKS_MAX;
  }

  /** Whether frames that are sent now wait behind earlier ones. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /** Closes the link when the other side stops sending signs of life. */
  expectLife(): void {
    this.#looks = setInterval(() => {
      this.#silentLooks++;
      if (this.isSilent) this.#socket.destroy();
    }, LIFE_MS);
    this.#looks.unref();
  }

  /** Sends a sign of life, unless frames are about to leave anyway. */
  showLife(): void {
    if (this.#socket.writableLength === 0) this.#socket.write(signOfLife());
  }

  /** Sends a frame with its length in front; false if it was dropped. */
  send(bytes: Buffer): boolean {
    if (this.#socket.writableLength + bytes.length > QUEUE_BYTES_MAX) {
      if (this.#drops === "none") this.#drops = "new";
      return false;
    }
    this.#socket.write(bytes);
    return true;
  }

  /** True once: when frames were dropped, and earlier ones still wait. */
  isStuck(): boolean {
    if (this.#drops !== "new") return false;
    this.#drops = "reported";
    return true;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Ends the link when all sent bytes have left, or when that takes too long. */
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
}

const LENGTH_BYTES = 4;
const SIGN_OF_LIFE = FRAME_BYTES_MAX + 1;

/** A frame with its length in front. */
export function framed(frame: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + frame.length);
  bytes.writeUInt32LE(frame.length);
  bytes.set(frame, LENGTH_BYTES);
  return bytes;
}

/** Bytes that only show that this side is alive. */
function signOfLife(): Buffer {
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES);
  bytes.writeUInt32LE(SIGN_OF_LIFE);
  return bytes;
}

/** Puts frames together from bytes that arrive in pieces of any size. Holds at most one frame. */
export class FrameStream {
  readonly #take: (frame: Uint8Array) => void;
  readonly #length = Buffer.alloc(LENGTH_BYTES);
  /** What is being filled: a length, or the frame after it. */
  #part: Uint8Array = this.#length;
  #filled = 0;

  /** @param take is given every frame, and owns it */
  constructor(take: (frame: Uint8Array) => void) {
    this.#take = take;
  }

  /** Takes the next bytes; false if they are not frames, and then no more may be pushed. */
  push(bytes: Uint8Array): boolean {
    for (let position = 0; ; ) {
      const part = this.#part;
      const next = bytes.subarray(position, position + part.length - this.#filled);
      part.set(next, this.#filled);
      this.#filled += next.length;
      position += next.length;
      if (this.#filled < part.length) return true;
      this.#filled = 0;
      if (part !== this.#length) {
        this.#part = this.#length;
        this.#take(part);
        continue;
      }
      const length = this.#length.readUInt32LE();
      if (length === SIGN_OF_LIFE) continue;
      if (length > FRAME_BYTES_MAX) return false;
      this.#part = new Uint8Array(length);
    }
  }
}
