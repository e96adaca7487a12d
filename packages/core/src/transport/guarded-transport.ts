/**
 * Makes a transport keep the promises of `Transport`, even if its author broke some of them.
 *
 * TypeScript lets some mistakes pass, such as an `async publish`. None of them may end the process
 * or throw into a request. An answer that cannot be right is taken for the worse one, and reported.
 * Nothing else in core calls the transport itself.
 */

import { CLUSTER_EVENTS, type EventKind, type Report } from "../base/cluster-events.ts";
import { shown } from "../base/options.ts";
import { FRAME_BYTES_MAX, type Transport, type TransportContext } from "./transport.ts";

export class GuardedTransport implements Transport {
  /** The last problem, until the transport has been seen to work. */
  trouble: string | undefined;
  readonly #transport: Transport;
  readonly #report: Report;
  /** Members with a reported problem: each is reported once, as they are used all the time. */
  readonly #reported = new Set<keyof Transport>();

  constructor(transport: Transport, report: Report) {
    this.#transport = transport;
    this.#report = report;
  }

  /**
   * As it is now, or the default if that is not a whole number: NaN would leave room for nothing.
   */
  get maxPayload(): number {
    const given = this.#read("maxPayload", FRAME_BYTES_MAX);
    return Number.isSafeInteger(given) ? (given as number) : FRAME_BYTES_MAX;
  }

  /** False if reading it throws. */
  get connected(): boolean {
    return this.#read("connected", false) !== false;
  }

  /** False if reading it throws: otherwise frames would wait for ever. */
  get busy(): boolean {
    return this.#read("busy", false) === true;
  }

  /** Throws what the transport throws, to the caller of `joinCluster`. */
  open(receive: (frame: Uint8Array) => void, context: TransportContext): void {
    const report = (trouble: string, kind?: EventKind): void => {
      this.#say(String(trouble), isKind(kind) ? kind : CLUSTER_EVENTS.transportTrouble);
    };
    const opened: unknown = this.#transport.open(receive, { ...context, report });
    Promise.resolve(opened).catch((error: unknown) => {
      this.#failed(`the transport could not be opened: ${String(error)}`);
    });
  }

  publish(frame: Uint8Array, to?: string): boolean {
    let answer: unknown;
    try {
      answer = this.#transport.publish(frame, to);
    } catch (error) {
      this.#failed(`the transport threw where it must not: ${String(error)}`);
      return false;
    }
    if (typeof answer === "boolean") return answer;
    const given = answer instanceof Promise ? "a promise" : shown(answer);
    this.#failedOnce(
      "publish",
      `'publish' of the transport must return true or false at once, got ${given}: what it sends counts as dropped`,
    );
    // The outcome does not matter any more, but an unhandled rejection would end the process.
    Promise.resolve(answer).catch(() => {});
    return false;
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** The value of a member, or a replacement if reading it throws. */
  #read(member: "maxPayload" | "connected" | "busy", otherwise: unknown): unknown {
    try {
      return this.#transport[member];
    } catch (error) {
      this.#failedOnce(member, `the transport threw where it must not: ${String(error)}`);
      return otherwise;
    }
  }

  #failedOnce(member: keyof Transport, sentence: string): void {
    if (this.#reported.has(member)) return;
    this.#reported.add(member);
    this.#failed(sentence);
  }

  #failed(sentence: string): void {
    this.#say(sentence, CLUSTER_EVENTS.transportFailed);
  }

  #say(sentence: string, kind: EventKind): void {
    if (kind.severity !== "info") this.trouble = sentence;
    this.#report(sentence, kind);
  }
}

const SEVERITIES: readonly unknown[] = ["info", "warning", "error"];

function isKind(kind: unknown): kind is EventKind {
  if (typeof kind !== "object" || kind === null) return false;
  const { code, severity } = kind as Partial<EventKind>;
  return typeof code === "string" && SEVERITIES.includes(severity);
}
