/**
 * A line between a client and a local server that a test can delay, hold or cut.
 *
 * A held line keeps its connections and delivers late, like a network that loses data for a
 * while and retransmits them. It never drops bytes, because TCP does not. A cut line resets its
 * connections and refuses new ones.
 */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

const HOST = "127.0.0.1";
/** How much may wait in one direction before reading pauses. */
const WAITING_BYTES_MAX = 1_048_576;

export type Direction = "toServer" | "toClient";

export class TcpProxy {
  readonly #server: Server;
  #targetPort: number | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #streams = new Set<Stream>();
  readonly #held = new Set<Direction>();
  #delayMs = 0;
  #isCut = false;

  private constructor(targetPort: number | undefined) {
    this.#targetPort = targetPort;
    this.#server = createServer((client) => this.#connect(client));
  }

  /** @param targetPort the server's port; until it is known, connections are refused */
  static async start(targetPort?: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    proxy.#server.listen(0, HOST);
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `nats://${HOST}:${this.port}`;
  }

  aim(targetPort: number): void {
    this.#targetPort = targetPort;
  }

  /** Delays everything by this much in each direction from now on. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Holds everything in these directions, with all connections open. */
  hold(...directions: readonly Direction[]): void {
    for (const direction of directions) this.#held.add(direction);
  }

  /** Resets all connections and refuses new ones. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Works normally again; what was held arrives. */
  heal(): void {
    this.#isCut = false;
    this.#delayMs = 0;
    this.#held.clear();
    for (const stream of this.#streams) stream.move();
  }

  async stop(): Promise<void> {
    this.cut();
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }

  #connect(client: Socket): void {
    this.#keep(client);
    if (this.#isCut || this.#targetPort === undefined) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.#targetPort, HOST);
    this.#keep(server);
    this.#join(client, server, "toServer");
    this.#join(server, client, "toClient");
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {}); // What follows is that it is closed.
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #join(from: Socket, to: Socket, direction: Direction): void {
    const stream = new Stream(from, to, {
      isHeld: () => this.#held.has(direction),
      delayMs: () => this.#delayMs,
    });
    this.#streams.add(stream);
    to.once("close", () => this.#streams.delete(stream));
  }
}

interface Line {
  isHeld(): boolean;
  delayMs(): number;
}

/** The data in one direction of one connection, in order. */
class Stream {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #line: Line;
  #waiting: { readonly bytes: Buffer; readonly dueAtMs: number }[] = [];
  #waitingBytes = 0;
  #hasEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(from: Socket, to: Socket, line: Line) {
    this.#from = from;
    this.#to = to;
    this.#line = line;
    from.on("data", (bytes) => this.#take(bytes));
    from.once("close", () => {
      this.#hasEnded = true;
      this.move();
    });
    to.on("drain", () => this.move());
    to.once("close", () => {
      clearTimeout(this.#timer);
      if (!from.destroyed) from.destroy();
    });
  }

  /** Passes on what is due. */
  move(): void {
    if (this.#line.isHeld()) return;
    const now = performance.now();
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (next.dueAtMs > now) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.move(), next.dueAtMs - now);
        return;
      }
      if (this.#to.writableNeedDrain) return;
      this.#waiting.shift();
      this.#waitingBytes -= next.bytes.length;
      this.#to.write(next.bytes);
    }
    this.#from.resume();
    if (this.#hasEnded) this.#to.end();
  }

  #take(bytes: Buffer): void {
    this.#waiting.push({ bytes, dueAtMs: performance.now() + this.#line.delayMs() });
    this.#waitingBytes += bytes.length;
    if (this.#line.isHeld() || this.#waitingBytes > WAITING_BYTES_MAX) this.#from.pause();
    this.move();
  }
}
