/**
 * Carries frames in the messages of a Maelstrom test, which loses and delays them as its tests say.
 *
 * Frames travel as base64, to all other participants: a participant cannot tell which of them has
 * the address that a frame is for.
 */

import type { Transport } from "@tidegate/core";

export class MaelstromTransport implements Transport {
  readonly #broadcast: (frame: string) => void;
  #receive: ((frame: Uint8Array) => void) | undefined;

  /** @param broadcast sends a text to all other participants */
  constructor(broadcast: (frame: string) => void) {
    this.#broadcast = broadcast;
  }

  open(receive: (frame: Uint8Array) => void): void {
    this.#receive = receive;
  }

  publish(frame: Uint8Array): boolean {
    this.#broadcast(Buffer.from(frame).toString("base64"));
    return true;
  }

  /** Takes a text that another participant has broadcast. */
  take(frame: string): void {
    this.#receive?.(new Uint8Array(Buffer.from(frame, "base64")));
  }

  close(): void {
    this.#receive = undefined;
  }
}
