/**
 * The last moments of a replica: it tells what has not been told, no faster than the transport takes it.
 *
 * Nobody can ask for it later, so what is handed over too fast and dropped is lost for good. All that
 * is long is done in the background, as always; whoever leaves waits for that, but not for ever. Nor for a
 * transport: one that hangs as it closes would otherwise keep a process from its end.
 */

import { CLUSTER_EVENTS, type Report } from "../../base/cluster-events.ts";
import type { FrameSender } from "../publish/frame-sender.ts";
import type { Publisher } from "../publish/publisher.ts";

/** How long a transport that has lost its connection is waited for. */
const CONNECT_MS = 1_000;
/** How long all of it may take, and how much longer closing may, where telling has taken that long. */
const LEAVE_MS = 5_000;
const CLOSE_MS_LEAST = 2_500;
/** How much of it is done at once: nearly always, all. */
const AT_ONCE_MS = 4;

export interface GracefulLeaveOptions {
  readonly publisher: Publisher;
  readonly sender: FrameSender;
  readonly report: Report;
}

export class GracefulLeave {
  readonly #options: GracefulLeaveOptions;
  readonly #endMs = performance.now() + LEAVE_MS;
  #isFirst = true;
  #isCutOff = false;

  constructor(options: GracefulLeaveOptions) {
    this.#options = options;
  }

  /** Tells more; returns whether all has been told and has left, or it is of no use to go on. */
  goOn(): boolean {
    const { publisher, sender, report } = this.#options;
    const isTold = publisher.finishFor(this.#isFirst ? AT_ONCE_MS : 0);
    this.#isFirst = false;
    const hasLeft = isTold && !sender.isBusy;
    if (!hasLeft && !this.#isCutOff) {
      if (performance.now() < this.#endMs) return false;
      report(
        "left before all that was counted could be told: the transport takes too little at a time",
        CLUSTER_EVENTS.leftEarly,
      );
    }
    publisher.stop();
    return true;
  }

  /** Waits until there may be more to do. */
  async wait(): Promise<void> {
    const { sender } = this.#options;
    if (sender.isConnected) {
      await sender.untilFree();
      return;
    }
    await sender.untilConnected(CONNECT_MS);
    this.#isCutOff = !sender.isConnected;
  }

  /** Closes the transport, and waits for that while there is time. */
  async close(): Promise<void> {
    const { sender, report } = this.#options;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      const leftMs = Math.max(this.#endMs - performance.now(), CLOSE_MS_LEAST);
      timer = setTimeout(() => {
        report(
          "the transport did not close in time: what was said last may be lost",
          CLUSTER_EVENTS.leftEarly,
        );
        resolve();
      }, leftMs);
      timer.unref();
    });
    try {
      await Promise.race([sender.transport.close(), late]);
    } catch (error) {
      report(`the transport could not be closed: ${error}`, CLUSTER_EVENTS.transportTrouble);
    } finally {
      clearTimeout(timer);
    }
  }
}
