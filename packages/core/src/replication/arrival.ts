/**
 * The first moments of a replica: it says hello until it has heard out all that are there, knows that
 * it is alone, or has waited long enough.
 */

import type { Members } from "./members.ts";
import type { Sender } from "./sender.ts";

/** How long to wait for anyone at all before this replica takes itself to be alone. */
const ALONE_AFTER_MS = 300;
const HELLO_AGAIN_MS = 250;
/** After so long a replica decides on what it knows, heard out or not. */
const COLD_MS_MAX = 500;

export class Arrival {
  /** Resolves when this is over; never rejects. */
  readonly ready: Promise<void>;
  isOver = false;

  readonly #members: Members;
  readonly #sender: Sender;
  readonly #beganAtMs: number;
  readonly #timeoutMs: number;
  #connectedAtMs: number = Number.POSITIVE_INFINITY;
  #helloAtMs: number;
  #isCold = true;
  readonly #warmAtMs: number;
  #resolve: () => void = () => {};

  constructor(members: Members, sender: Sender, beganAtMs: number, timeoutMs: number) {
    this.#members = members;
    this.#sender = sender;
    this.#beganAtMs = beganAtMs;
    this.#helloAtMs = beganAtMs;
    this.#warmAtMs = beganAtMs + COLD_MS_MAX;
    this.#timeoutMs = timeoutMs;
    this.ready = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** When to look again. */
  get dueAtMs(): number {
    if (this.isOver) return Number.POSITIVE_INFINITY;
    return this.#isCold ? Math.min(this.#helloAtMs, this.#warmAtMs) : this.#helloAtMs;
  }

  /** Whether it is so short since this replica came that others may be expected to tell it more. */
  get isCold(): boolean {
    return this.#isCold && !this.isOver;
  }

  work(now: number): void {
    if (this.isOver) return;
    if (now >= this.#warmAtMs) this.#isCold = false;
    if (!this.#sender.isConnected) this.#connectedAtMs = Number.POSITIVE_INFINITY;
    else if (this.#connectedAtMs > now) this.#connectedAtMs = now;
    const isHeardOut = Array.from(this.#members.all()).every(
      ({ isBehind, isAlive }) => !isBehind || !isAlive,
    );
    const isSure = now - this.#connectedAtMs >= ALONE_AFTER_MS;
    if ((isSure && isHeardOut) || now - this.#beganAtMs >= this.#timeoutMs) {
      this.end();
    } else if (now >= this.#helloAtMs) {
      this.#helloAtMs = Math.min(now + HELLO_AGAIN_MS, this.#beganAtMs + this.#timeoutMs);
      this.#sender.greet("hello");
    }
  }

  end(): void {
    this.isOver = true;
    this.#resolve();
  }
}
