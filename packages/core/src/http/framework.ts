/**
 * What the HTTP layer needs to know of a web framework: how to read its requests and write headers.
 *
 * An adapter makes one such object for all requests; nothing in it may allocate, and none of it
 * decides anything. `Request` and `Response` are whatever the framework hands to its users' functions.
 */

/** A header as it has been set so far. */
export type HeaderValue = number | string | readonly string[] | undefined;

/**
 * Whom a framework believes about on whose behalf they send a request: nobody at all; some, and the
 * sender of this request is or is not among them; everybody; or a number of hops that it ignores.
 */
export type ProxyTrust = "nobody" | "others" | "sender" | "everybody" | "ignored hops";

/** The part of Node's `Socket` that says how it was closed. */
export interface Connection {
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  readonly errored?: Error | null | undefined;
  readonly timeout?: number | undefined;
  readonly server?: { listenerCount(event: "clientError"): number } | undefined;
  once(event: "close", listener: () => void): unknown;
}

/** The part of Node's `Socket` that says whether a client was there that has an address no longer. */
export interface RequestConnection {
  readonly destroyed?: boolean | undefined;
  readonly localAddress?: string | undefined;
}

/** What can be ended, the part of Node's streams. */
export interface Endable {
  /** Whether more can be written into it. */
  readonly writable?: boolean | undefined;
  end?(...rest: never[]): unknown;
  destroy?(...rest: never[]): unknown;
}

/** How a response ends: the part of Node's `ServerResponse`, of HTTP/1 or HTTP/2, that says so. */
export interface ResponseEvents extends Endable {
  readonly writableEnded: boolean;
  /** Whether everything has been handed on, so that `finish` may have been told of already. */
  readonly writableFinished?: boolean | undefined;
  /** Whether nothing can be sent any more, so that `close` may have been told of already. */
  readonly destroyed?: boolean | undefined;
  /** In HTTP/2 it is the stream that knows. */
  readonly stream?: { readonly destroyed: boolean } | undefined;
  /** The connection, while this response is the one that is sent on it. */
  readonly socket?: Connection | null | undefined;
  /** What the application has destroyed it with: null while it has not. */
  readonly errored?: Error | null | undefined;
  readonly req?:
    | { readonly upgrade?: boolean | undefined; readonly socket?: Connection | null | undefined }
    | undefined;
  end(...rest: never[]): unknown;
  on(event: "finish" | "close", listener: () => void): unknown;
  on(event: "pipe" | "unpipe", listener: (source: Endable) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
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
  socketAddress(request: Request): string | undefined;
  /** The connection itself; only asked for where it has no address. */
  connection(request: Request): RequestConnection | null | undefined;
  proxyTrust(request: Request): ProxyTrust;
  /** What was parsed of a request's body; undefined while nothing has been. */
  body(request: Request): unknown;
  header(response: Response, name: string): HeaderValue;
  setHeader(response: Response, name: string, value: string): void;
  removeHeader(response: Response, name: string): void;
  headersSent(response: Response): boolean;
  statusCode(response: Response): number;
  events(response: Response): ResponseEvents;
  /** Calls `listener` right before the headers of the response are sent, and at most once. */
  beforeHeaders(response: Response, listener: (late?: LateHeaders) => void): void;
}
