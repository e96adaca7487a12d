/**
 * What the HTTP layer needs of a web framework: reading requests and writing headers.
 *
 * An adapter makes one such object for all requests. Its functions allocate nothing and decide
 * nothing. `Request` and `Response` are the framework's objects that users' functions receive.
 */

/** The present value of a header. */
export type HeaderValue = number | string | readonly string[] | undefined;

/**
 * Which senders a framework believes when they state another client's address: no sender; some, with
 * the sender of this request (`sender`) or without it (`some`); all; or none, because the framework
 * ignores the number of hops that it was given (`hops`).
 */
export type ProxyTrust = "none" | "some" | "sender" | "all" | "hops";

/**
 * The part of Node's `Socket` that shows whether a client without an address was connected before.
 */
export interface RequestConnection {
  readonly destroyed?: boolean | undefined;
  readonly localAddress?: string | undefined;
}

/**
 * How a response ended: it was sent; it was complete, but its client disconnected before it was
 * sent; the application aborted it; or its client hung up, and the handler is done.
 */
export type ResponseEnd = "sent" | "lost" | "failed" | "hung up";

/** What a gate needs to know about the end of a response. */
export interface EndListener {
  /** Called at the end. A later call for the same response can only report a failure. */
  ended(how: ResponseEnd): void;
  /** After a hang-up: the longest wait for the handler, and 0 when nothing depends on it. */
  waitsForHandlerMs(): number;
}

/** A response whose end is followed. */
export interface FollowedEnd {
  /**
   * The handler works until its promise settles, whatever happens to the response. Only called by a
   * gate with `showsHandlers`.
   */
  handling(handler: PromiseLike<unknown>): void;
}

/**
 * Headers that a response receives only when they are sent, in place of earlier ones; looked up by
 * name, in lower case.
 */
export type LateHeaders = (name: string) => HeaderValue;

export interface Framework<Request, Response> {
  method(request: Request): string | undefined;
  /** A header of the request, by its name in lower case. */
  requestHeader(request: Request, name: string): string | undefined;
  /** The client's address according to the framework, including proxies. */
  address(request: Request): string | undefined;
  /** The address at the other end of the connection. */
  socketAddress?(request: Request): string | undefined;
  /** The connection itself; only used when it has no address. */
  connection?(request: Request): RequestConnection | null | undefined;
  /** Without this, requests are not checked for a wrong proxy setting. */
  proxyTrust?(request: Request): ProxyTrust;
  /** The parsed body of a request; undefined if nothing has parsed it. */
  body?(request: Request): unknown;
  /** A header of the response, by its name in any case. */
  header(response: Response, name: string): HeaderValue;
  setHeader(response: Response, name: string, value: string): void;
  removeHeader(response: Response, name: string): void;
  headersSent(response: Response): boolean;
  statusCode(response: Response): number;
  /**
   * Tells the listener how a response ends or has ended. Node's responses use
   * `followServerResponse`.
   */
  followEnd(response: Response, listener: EndListener): FollowedEnd;
  /**
   * Calls `listener` right before the headers of the response are sent, at most once. `late` are
   * headers that are given only then, such as those in the arguments of `writeHead`.
   */
  beforeHeaders(response: Response, listener: (late?: LateHeaders) => void): void;
}
