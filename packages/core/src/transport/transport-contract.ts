/**
 * The contract of transports, as cases that any test runner can run.
 *
 * A case throws when the promise in its title is broken. Losing frames is allowed, so no case
 * expects every single frame to arrive; but a transport that loses all of them carries nothing.
 */

import { randomBytes } from "node:crypto";
import { isUint8Array } from "node:util/types";
import { FRAME_BYTES_MAX, FRAME_BYTES_MIN, type Transport } from "./transport.ts";

/** Creates transports under test. Those of one lab reach one another. */
export interface TransportLab {
  transport(): Transport | Promise<Transport>;
}

export interface ContractCase {
  readonly title: string;
  run(lab: TransportLab): Promise<void>;
}

const PATIENCE_MS = 5_000;
const POLL_MS = 10;
const QUIET_MS = 100;
/** Losing frames is allowed, also a few last ones in a row. */
const LAST_WORDS_TRIES = 10;
/** As many bytes as the address of a replica has in a cluster. */
const ADDRESS_BYTES = 6;

/** One transport in use, and the frames that it received. */
class End {
  readonly transport: Transport;
  readonly replica: string;
  readonly received: Uint8Array[] = [];
  throwsOnce = false;
  /** How often `changed` was called. */
  changes = 0;
  /** What was called while one of its own methods ran. */
  calledInside: "receive" | "changed" | undefined;
  #isInside = false;
  readonly wasConnectedAtOnce: boolean;

  private constructor(transport: Transport, namespace: string, replica: string) {
    this.transport = transport;
    this.replica = replica;
    const changed = (): void => {
      this.#note("changed");
      this.changes++;
      throw new Error("'changed' of the contract throws on purpose");
    };
    const report = (): void => {
      throw new Error("'report' of the contract throws on purpose");
    };
    const context = { namespace, replica, report, changed };
    this.#inside(() => transport.open((frame) => this.#receive(frame), context));
    this.wasConnectedAtOnce = this.isConnected;
  }

  get isConnected(): boolean {
    return this.transport.connected !== false;
  }

  /** The longest frame that it carries. */
  get bytesMax(): number {
    return Math.min(this.transport.maxPayload ?? FRAME_BYTES_MAX, FRAME_BYTES_MAX);
  }

  static async open(lab: TransportLab, namespace: string): Promise<End> {
    return new End(await lab.transport(), namespace, newAddress());
  }

  publish(frame: Uint8Array, only?: string): boolean {
    return this.#inside(() => this.transport.publish(frame, only));
  }

  close(): void | Promise<void> {
    return this.#inside(() => this.transport.close());
  }

  /**
   * Publishes again and again until all ends received it: transports may need a moment to connect.
   */
  async send(bytes: Uint8Array, to: readonly End[], only?: string): Promise<void> {
    const isReceived = () => to.every((end) => end.hasReceived(bytes));
    for (let waitedMs = 0; !isReceived(); waitedMs += POLL_MS) {
      must(waitedMs < PATIENCE_MS, "a frame that was published again and again was not received");
      if (waitedMs % (5 * POLL_MS) === 0) this.publish(Uint8Array.from(bytes), only);
      await pause(POLL_MS);
    }
  }

  hasReceived(bytes: Uint8Array): boolean {
    must(this.received.every(isUint8Array), "something else than a Uint8Array was delivered");
    return this.received.some((frame) => Buffer.compare(frame, bytes) === 0);
  }

  #inside<Result>(call: () => Result): Result {
    this.#isInside = true;
    try {
      return call();
    } finally {
      this.#isInside = false;
    }
  }

  #note(called: "receive" | "changed"): void {
    if (this.#isInside) this.calledInside = called;
  }

  #receive(frame: Uint8Array): void {
    this.#note("receive");
    // Not with 'slice', which shares the memory of a Buffer.
    this.received.push(isUint8Array(frame) ? Uint8Array.from(frame) : frame);
    frame.fill(0);
    if (!this.throwsOnce) return;
    this.throwsOnce = false;
    throw new Error("a receiver of the contract throws on purpose");
  }
}

export const TRANSPORT_CONTRACT: readonly ContractCase[] = [
  {
    title: "all other replicas receive what one replica publishes, byte for byte",
    run: async (lab) => {
      await between(lab, 3, async ([one, two, three]) => {
        const bytes = randomBytes(1_000);
        await one!.send(bytes, [two!, three!]);
        await three!.send(randomBytes(1), [one!, two!]);
      });
    },
  },
  {
    title: "the replica that a frame is for receives it",
    run: async (lab) => {
      await between(lab, 3, async ([one, , three]) => {
        await one!.send(randomBytes(50), [three!], three!.replica);
      });
    },
  },
  {
    title: "replicas of another namespace receive nothing",
    run: async (lab) => {
      const namespace = newNamespace();
      const other = await End.open(lab, `${namespace}-other`);
      try {
        await between(lab, 2, async ([one, two]) => one!.send(randomBytes(50), [two!]), namespace);
        await pause(QUIET_MS);
        must(other.received.length === 0, "a replica received a frame of another namespace");
      } finally {
        await other.close();
      }
    },
  },
  {
    title: "a frame of maxPayload arrives whole, and a longer one is dropped",
    run: async (lab) => {
      await between(lab, 2, async ([one, two]) => {
        await one!.send(randomBytes(10), [two!]);
        await one!.send(randomBytes(one!.bytesMax), [two!]);
        const isTaken = one!.publish(randomBytes(one!.bytesMax + 1));
        must(!isTaken, "a frame longer than maxPayload was taken");
        await one!.send(randomBytes(11), [two!]);
      });
    },
  },
  {
    title: "it answers at once, with values of the promised types",
    run: async (lab) => {
      await between(lab, 2, async ([one, two]) => {
        await one!.send(randomBytes(10), [two!]);
        const { transport } = one!;
        const { maxPayload = FRAME_BYTES_MAX, connected = true, busy = false } = transport;
        must(Number.isSafeInteger(maxPayload), `maxPayload is no whole number: ${maxPayload}`);
        must(
          maxPayload >= FRAME_BYTES_MIN,
          `maxPayload is below ${FRAME_BYTES_MIN}: ${maxPayload}`,
        );
        must(typeof connected === "boolean", "connected is neither true nor false");
        must(typeof busy === "boolean", "busy is neither true nor false");
        const answer: unknown = one!.publish(randomBytes(10));
        must(typeof answer === "boolean", "publish returns neither true nor false");
      });
    },
  },
  {
    title: "frames that are published at once are never mixed up",
    run: async (lab) => {
      await between(lab, 2, async ([one, two]) => {
        await one!.send(randomBytes(10), [two!]);
        const frames = Array.from({ length: 200 }, (_, index) => randomBytes(1 + 37 * index));
        for (const frame of frames) one!.publish(Uint8Array.from(frame));
        await one!.send(randomBytes(11), [two!]);
        const known = new Set(frames.map((frame) => frame.toString("hex")));
        for (const received of two!.received) {
          if (received.length === 10 || received.length === 11) continue;
          must(known.has(Buffer.from(received).toString("hex")), "a frame arrived changed");
        }
      });
    },
  },
  {
    title: "a receiver that throws receives the next frame",
    run: async (lab) => {
      await between(lab, 2, async ([one, two]) => {
        two!.throwsOnce = true;
        await one!.send(randomBytes(20), [two!]);
        await one!.send(randomBytes(21), [two!]);
      });
    },
  },
  {
    title: "publishing never throws, and drops frames before opening and after closing",
    run: async (lab) => {
      const transport = await lab.transport();
      must(!transport.publish(randomBytes(5)), "a frame was taken before opening");
      const received: Uint8Array[] = [];
      const context = { namespace: newNamespace(), replica: newAddress() };
      transport.open((frame) => received.push(frame), context);
      const closed = transport.close();
      must(!transport.publish(randomBytes(5)), "a frame was taken after closing");
      await closed;
      await transport.close();
    },
  },
  {
    title: "a closed transport delivers no more frames, and the others go on",
    run: async (lab) => {
      await between(lab, 3, async ([one, two, three]) => {
        await one!.send(randomBytes(30), [two!, three!]);
        const closed = two!.close();
        const count = two!.received.length;
        await one!.send(randomBytes(31), [three!]);
        await closed;
        await pause(QUIET_MS);
        must(two!.received.length === count, "a frame was delivered after closing");
      });
    },
  },
  {
    title: "a frame that is published before closing arrives, if the program waits for closing",
    run: async (lab) => {
      const namespace = newNamespace();
      const rounds = async (two: End): Promise<void> => {
        for (let round = 1; round <= LAST_WORDS_TRIES; round++) {
          const one = await End.open(lab, namespace);
          const bytes = randomBytes(Math.min(30_000, one.bytesMax));
          try {
            await one.send(randomBytes(40), [two]);
            one.publish(Uint8Array.from(bytes));
          } finally {
            await one.close();
          }
          await pause(QUIET_MS);
          if (two.hasReceived(bytes)) return;
        }
        throw new Error("the last frame before closing never arrived");
      };
      await between(lab, 1, async ([two]) => rounds(two!), namespace);
    },
  },
  {
    title: "a transport that does not connect at once calls 'changed' when it has connected",
    run: async (lab) => {
      await between(lab, 2, async (ends) => {
        for (const end of ends) {
          for (let waitedMs = 0; !end.isConnected; waitedMs += POLL_MS) {
            must(waitedMs < PATIENCE_MS, "it never was connected");
            await pause(POLL_MS);
          }
          must(end.wasConnectedAtOnce || end.changes > 0, "'changed' was not called on connecting");
        }
        await ends[0]!.send(randomBytes(12), [ends[1]!]);
      });
    },
  },
];

/**
 * Opens so many transports in one namespace, and closes them in any case.
 *
 * The functions that it passes throw on purpose. Such an error must stay inside the transport: it
 * would end a process that has no listener for it.
 */
async function between(
  lab: TransportLab,
  count: number,
  act: (ends: readonly End[]) => Promise<void>,
  namespace: string = newNamespace(),
): Promise<void> {
  const ends: End[] = [];
  const escaped: unknown[] = [];
  const note = (error: unknown): unknown => escaped.push(error);
  for (const event of UNCAUGHT) process.on(event, note);
  try {
    while (ends.length < count) ends.push(await End.open(lab, namespace));
    await act(ends);
  } finally {
    await Promise.all(ends.map((end) => end.close()));
    for (const event of UNCAUGHT) process.off(event, note);
  }
  for (const { calledInside } of ends) {
    must(
      calledInside === undefined,
      `'${calledInside}' was called inside of a call of the transport`,
    );
  }
  must(escaped.length === 0, `an error was left uncaught: ${String(escaped[0])}`);
}

const UNCAUGHT = ["uncaughtException", "unhandledRejection"] as const;

function must(fact: boolean, otherwise: string): void {
  if (!fact) throw new Error(`the contract of transports is broken: ${otherwise}`);
}

function newAddress(): string {
  return randomBytes(ADDRESS_BYTES).toString("hex");
}

function newNamespace(): string {
  return `contract-${randomBytes(6).toString("hex")}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
