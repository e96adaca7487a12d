// @ts-check
// The transport of docs/guides/writing-a-transport.md, letter by letter below this comment.

import { createHash } from "node:crypto";
import { createSocket } from "node:dgram";
import { invalidOption, knownOptions } from "@tidegate/core/transport";

/** Nearly every network carries so many bytes in one piece. */
const DATAGRAM_BYTES_MAX = 1_200;
/** Before each frame: 8 bytes for the namespace, and 8 for the replica that sends. */
const HEADER_BYTES = 16;
const WAITING_MAX = 1_000;
const BIND_AGAIN_MS = 1_000;
const FAILED = /** @type {const} */ ({ code: "EXAMPLE_UDP_FAILED", severity: "error" });

/** @implements {Transport} */
class UdpTransport {
  needsNamespace = true;
  maxPayload = DATAGRAM_BYTES_MAX - HEADER_BYTES;
  connected = false;
  #listen;
  #others;
  #socket = createSocket("udp4").unref();
  #header = Buffer.alloc(HEADER_BYTES);
  #changed = () => {};
  #waiting = 0;
  #drained = () => {};
  /** @type {Promise<void> | undefined} */
  #closed;

  /** @param {UdpOptions} options */
  constructor({ listen, fleet }) {
    this.#listen = placeOf("listen", listen);
    const others = fleet.filter((place) => place !== listen);
    this.#others = others.map((place) => ({ ...placeOf("fleet", place), replica: "" }));
  }

  get busy() {
    return this.#waiting >= WAITING_MAX;
  }

  /** @type {Transport["open"]} */
  open(receive, { namespace, replica, report, changed }) {
    this.#changed = () => isolated(() => changed?.());
    const tag = digest(namespace);
    this.#header = Buffer.concat([tag, digest(replica)]);
    this.#socket.on("message", (datagram, { address, port }) => {
      const from = this.#others.find((other) => other.address === address && other.port === port);
      const isOurs = datagram.length > HEADER_BYTES && tag.equals(datagram.subarray(0, 8));
      if (from === undefined || !isOurs || this.#closed !== undefined) return;
      from.replica = datagram.toString("hex", 8, HEADER_BYTES);
      isolated(() => receive(datagram.subarray(HEADER_BYTES)));
    });
    // In a worker of node:cluster, a port that is not exclusive is shared with the other workers.
    const bind = () => this.#closed ?? this.#socket.bind({ ...this.#listen, exclusive: true });
    this.#socket.on("error", ({ message }) => {
      isolated(() => report?.(`UDP does not work: ${message}`, FAILED));
      if (!this.connected) setTimeout(bind, BIND_AGAIN_MS).unref();
    });
    this.#socket.on("listening", () => {
      if (this.#closed !== undefined) return;
      this.connected = true;
      this.#changed();
    });
    bind();
  }

  /** @type {Transport["publish"]} */
  publish(frame, to) {
    if (!this.connected || this.busy || frame.length > this.maxPayload) return false;
    const replica = to === undefined ? undefined : digest(to).toString("hex");
    const known = this.#others.filter((other) => other.replica === replica);
    for (const { address, port } of known.length > 0 ? known : this.#others) {
      this.#waiting++;
      this.#socket.send([this.#header, frame], port, address, () => this.#sent());
    }
    return true;
  }

  #sent() {
    const wasBusy = this.busy;
    this.#waiting--;
    if (wasBusy && !this.busy && this.connected) this.#changed();
    if (this.#waiting === 0) this.#drained();
  }

  close() {
    this.connected = false;
    this.#closed ??= new Promise((resolve) => {
      this.#drained = () => this.#socket.close(resolve);
      if (this.#waiting === 0) this.#drained();
    });
    return this.#closed;
  }
}

/** @type {(options: UdpOptions) => Transport} */
export function udpTransport(options) {
  knownOptions("udpTransport", options, ["listen", "fleet"]);
  return new UdpTransport(options);
}

/** @param {string} option @param {string} place such as `192.0.2.1:4100` */
function placeOf(option, place) {
  const [, address, port] = /^([\d.]+):(\d+)$/.exec(place) ?? [];
  if (address === undefined) throw invalidOption(option, "an address and a port", place);
  return { address, port: Number(port) };
}

/** @param {string} text */
const digest = (text) => createHash("sha256").update(text).digest().subarray(0, 8);

/** Calls a function whose errors must not end the process. @param {() => void} call */
function isolated(call) {
  try {
    call();
  } catch {}
}

/** @typedef {import("@tidegate/core/transport").Transport} Transport */
/** @typedef {{ readonly listen: string, readonly fleet: readonly string[] }} UdpOptions */
