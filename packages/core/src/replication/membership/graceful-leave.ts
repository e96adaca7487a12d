/**
 * Publishes what is pending when a replica leaves, no faster than the transport takes it.
 *
 * No other replica can ask for it later, so frames that are sent too fast and dropped are lost for
 * good. Long work runs in the background as always, and the leaving replica waits for it, for a
 * bounded time. It also waits for the transport to close for a bounded time: a transport that hangs
 * must not keep a process from its end.
 */

import { CLUSTER_EVENTS } from "../../base/cluster-events.ts";
import type { Publisher } from "../publish/publisher.ts";
import type { ReplicaContext } from "../replica-context.ts";

/** How long to wait for a transport that has lost its connection. */
const CONNECT_MS = 1_000;
/**
 * How long all of it may take, and how much longer closing may take if publishing took that long.
 */
const LEAVE_MS = 5_000;
const CLOSE_MS_LEAST = 2_500;
/** How much of it is done at once; nearly always that is all. */
const AT_ONCE_MS = 4;
/** Until it looks at the transport again. */
const PAUSE_MS = 10;

export class GracefulLeave {
  readonly #context: ReplicaContext;
  readonly #publisher: Publisher;
  readonly #endMs = performance.now() + LEAVE_MS;
  #isFirst = true;
  #isDisconnected = false;

  constructor(context: ReplicaContext, publisher: Publisher) {
    this.#context = context;
    this.#publisher = publisher;
  }

  /** Publishes more. Returns whether everything has left, or it is of no use to go on. */
  goOn(): boolean {
    const { sender, report } = this.#context;
    const isPublished = this.#publisher.finishFor(this.#isFirst ? AT_ONCE_MS : 0);
    this.#isFirst = false;
    const hasLeft = isPublished && !sender.isBusy;
    if (!hasLeft && !this.#isDisconnected) {
      if (performance.now() < this.#endMs) return false;
      report(
        "this process left before all of its counts were published: the transport takes too few frames at a time, or is not connected. Other processes do not know the last hits",
        CLUSTER_EVENTS.leftEarly,
      );
    }
    this.#publisher.stop();
    return true;
  }

  /** Waits until more can be sent. */
  async wait(): Promise<void> {
    const { sender } = this.#context;
    if (sender.isConnected) {
      if (sender.isBusy) await pause();
      else await new Promise((resolve) => setImmediate(resolve));
      return;
    }
    for (let waitedMs = 0; !sender.isConnected && waitedMs < CONNECT_MS; waitedMs += PAUSE_MS) {
      await pause();
    }
    this.#isDisconnected = !sender.isConnected;
  }

  /** Closes the transport, and waits for that while there is time. */
  async close(): Promise<void> {
    const { sender, report } = this.#context;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      const leftMs = Math.max(this.#endMs - performance.now(), CLOSE_MS_LEAST);
      timer = setTimeout(() => {
        report(
          "the transport did not close in time: the last frames of this process may be lost",
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

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
