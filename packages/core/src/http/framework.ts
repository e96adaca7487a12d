/**
 * What the HTTP layer needs to know of a web framework: how to read its requests and write headers.
 *
 * An adapter makes one such object for all requests; nothing in it may allocate, and none of it
 * decides anything. `Request` and `Response` are whatever the framework hands to its users' functions.
 */

/** A header as it has been set so far. */
export type HeaderValue = number | string | readonly string[] | undefined;

/**
 * Which senders a framework believes when they name another client: none; some, with or without the sender of this
 * request; all; or a number of hops that it ignores.
 */
export type ProxyTrust = "nobody" | "others" | "sender" | "everybody" | "ignored hops";

/** The part of Node's `Socket` that says whether a client was there that has an address no longer. */
export interface RequestConnection {
  readonly destroyed?: boolean | undefined;
  readonly localAddress?: string | undefined;
}

/**
 * How a response ended: it was sent; it was complete, and its client went before it was sent; the application
 * gave it up; or its client hung up, and the handler is done.
 */
export type ResponseEnd = "sent" | "lost" | "failed" | "hung up";

/** What a gate wants to know of the end of a response. */
export interface EndListener {
  /** To be called at the end. Later calls for the same response can only add that it failed. */
  ended(how: ResponseEnd): void;
  /** After a hang-up: how long to wait for the handler at most, and 0 where nothing depends on it. */
  waitsForHandlerMs(): number;
}

/** A response that is followed to its end. */
export interface FollowedEnd {
  /** The handler is at work until its promise settles, whatever becomes of the response. */
  handling(handler: PromiseLike<unknown>): void;
}

/**
 * Headers that a response is given only as they are sent, in the place of those set before; asked by name,
 * in lower case.
 */
export type LateHeaders = (name: string) => HeaderValue;

export interface Framework<Request, Response> {
  method(request: Request): string | undefined;
  /** A header of the request, by its name in lower case. */
  requestHeader(request: Request, name: string): string | undefined;
  /** The client's address as the framework sees it, proxies taken into account. */
  address(request: Request): string | undefined;
  /** The address at the other end of the connection. */
  socketAddress?(request: Request): string | undefined;
  /** The connection itself; only asked for where it has no address. */
  connection?(request: Request): RequestConnection | null | undefined;
  /** Without this, requests are not watched for a wrong setting about proxies. */
  proxyTrust?(request: Request): ProxyTrust;
  /** What was parsed of a request's body; undefined while nothing has been. */
  body?(request: Request): unknown;
  header(response: Response, name: string): HeaderValue;
  setHeader(response: Response, name: string, value: string): void;
  removeHeader(response: Response, name: string): void;
  headersSent(response: Response): boolean;
  statusCode(response: Response): number;
  /** Tells the listener how a response ends, or has ended. Node's responses have `followServerResponse`. */
  followEnd(response: Response, listener: EndListener): FollowedEnd;
  /** Calls `listener` right before the headers of the response are sent, and at most once. */
  beforeHeaders(response: Response, listener: (late?: LateHeaders) => void): void;
}
