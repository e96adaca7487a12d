/**
 * The warnings of middleware. Each has a code, its meaning, what to do about it, and the name that switches
 * it off. The page in the docs is made from this table.
 *
 * A warning never changes what happens to a request. Its text says what the middleware did instead.
 */

import { DOCS_URL } from "../base/errors.ts";

/** A stable name for one kind of warning. */
export type WarningCode =
  | "TIDEGATE_PROXY_TRUSTS_ALL"
  | "TIDEGATE_PROXY_TRUSTS_HOPS"
  | "TIDEGATE_FORWARDED_FOR_UNTRUSTED"
  | "TIDEGATE_FORWARDED_FOR_ABSENT"
  | "TIDEGATE_FORWARDED_IGNORED"
  | "TIDEGATE_ADDRESS_MISSING"
  | "TIDEGATE_ADDRESS_INVALID"
  | "TIDEGATE_KEY_EMPTY"
  | "TIDEGATE_KEY_IPV6"
  | "TIDEGATE_BODY_UNREAD"
  | "TIDEGATE_COUNTED_TWICE"
  | "TIDEGATE_MADE_PER_REQUEST"
  | "TIDEGATE_DECORATOR_TAKEN"
  | "TIDEGATE_ROUTE_UNLIMITED"
  | "TIDEGATE_STORE_REUSED"
  | "TIDEGATE_STORE_HITS"
  | "TIDEGATE_STORE_RESET_TIME"
  | "TIDEGATE_STORE_FAILED"
  | "TIDEGATE_STORE_UNREADY"
  | "TIDEGATE_LIMIT_ZERO"
  | "TIDEGATE_OPTION_UNREAD"
  | "TIDEGATE_OPTION_REMOVED"
  | "TIDEGATE_NUMBER_AS_TEXT"
  | "TIDEGATE_WINDOW_SHORT"
  | "TIDEGATE_SWITCH_UNREAD"
  | "TIDEGATE_HEADERS_UNREAD"
  | "TIDEGATE_SUBNET_UNREAD"
  | "TIDEGATE_FIELD_NAME_INVALID"
  | "TIDEGATE_RETRY_AFTER_INVALID"
  | "TIDEGATE_REQUEST_FAILED"
  | "TIDEGATE_AFTERWARDS_FAILED";

interface WarningEntry {
  /** The name that switches it off. */
  readonly switch: string;
  readonly meaning: string;
  readonly remedy: string;
}

const PROXY = `Configure the framework to trust only the addresses of your proxies: ${DOCS_URL}/guides/proxies.md shows how.`;

/** What each code means and what to do about it. The docs page is made from this table. */
export const WARNING_CODES: Readonly<Record<WarningCode, WarningEntry>> = {
  TIDEGATE_PROXY_TRUSTS_ALL: {
    switch: "trustProxy",
    meaning:
      "The framework trusts every client about its own address, so a client can get a new budget with every request.",
    remedy: `${PROXY} Until then, \`onPermissiveProxy: "socket"\` counts by the address of the connection.`,
  },
  TIDEGATE_PROXY_TRUSTS_HOPS: {
    switch: "trustProxy",
    meaning:
      "The framework was given a number of proxies to trust. This version of it then trusts no proxy (CVE-2026-16732), so all clients behind a proxy share one budget.",
    remedy: `${PROXY}`,
  },
  TIDEGATE_FORWARDED_FOR_UNTRUSTED: {
    switch: "xForwardedForHeader",
    meaning:
      "Requests have the header X-Forwarded-For, and the framework trusts no proxy. If there is a proxy, all clients behind it share one budget.",
    remedy: `${PROXY} Without a proxy you need not do anything: the header is ignored.`,
  },
  TIDEGATE_FORWARDED_FOR_ABSENT: {
    switch: "xForwardedForHeader",
    meaning:
      "A trusted proxy sent a request without X-Forwarded-For, so the request counted by the proxy's own address.",
    remedy:
      "Configure the proxy to set the header on every request. Make sure that no client can have it removed, for example by naming it in Connection.",
  },
  TIDEGATE_FORWARDED_IGNORED: {
    switch: "forwardedHeader",
    meaning: "Requests have the header Forwarded, which the framework does not read.",
    remedy:
      "Configure the proxy to send X-Forwarded-For, or read the header in a key function of your own.",
  },
  TIDEGATE_ADDRESS_MISSING: {
    switch: "ip",
    meaning:
      "A request came on a connection without addresses, such as a Unix socket. It was not counted.",
    remedy: "Pass a key function if requests come on connections without addresses.",
  },
  TIDEGATE_ADDRESS_INVALID: {
    switch: "ip",
    meaning:
      "The framework gave an invalid address for the client, so the address of the connection was used.",
    remedy: "Look at what the proxy writes into X-Forwarded-For: it must be an address.",
  },
  TIDEGATE_KEY_EMPTY: {
    switch: "keyEmpty",
    meaning:
      "A key function returned something that is no key, so the request counted by its address.",
    remedy:
      "Return a key for every request. Users who have not signed in have no id: `key: (request) => request.user?.id ?? ipKeyGenerator(request.ip)` counts them by address, with `ipKeyGenerator` of the same package as `rateLimit`. A key is text, a number or bytes, or an array of several of them.",
  },
  TIDEGATE_KEY_IPV6: {
    switch: "keyGeneratorIpFallback",
    meaning:
      "A key function returned an IPv6 address. One client has more of them than it could ever use up, each with a budget of its own. So clients with IPv6 have no limit.",
    remedy:
      "Count by the network of the address: `key: (request) => request.user?.id ?? ipKeyGenerator(request.ip)`, with `ipKeyGenerator` of the same package as `rateLimit`.",
  },
  TIDEGATE_BODY_UNREAD: {
    switch: "unreadBody",
    meaning:
      "`username` returned nothing, and the body of that request had not been parsed yet. If that is always so, the preset `login` counts attempts by address alone.",
    remedy:
      'Put the middleware after the body parser, such as `express.json()`. In Fastify use `hook: "preHandler"`. If a client sent a body that your application does not parse, you need not do anything.',
  },
  TIDEGATE_COUNTED_TWICE: {
    switch: "singleCount",
    meaning: "One request passed the same limiter twice and was counted twice.",
    remedy: "Mount the limiter so that a request passes it once.",
  },
  TIDEGATE_MADE_PER_REQUEST: {
    switch: "creationStack",
    meaning:
      "A limiter was made while a request was handled. It ends with that request, so it limits nothing.",
    remedy: "Make the limiter once, where you set up the application.",
  },
  TIDEGATE_DECORATOR_TAKEN: {
    switch: "decorators",
    meaning:
      "The application already has a decorator of the same name. It stays, and the plugin does not add its own.",
    remedy:
      "Register the plugin before the code that adds the other decorator, or rename the other.",
  },
  TIDEGATE_ROUTE_UNLIMITED: {
    switch: "routes",
    meaning: "A route was defined before the plugin had loaded, so the plugin does not limit it.",
    remedy:
      "Await `app.register(rateLimit, …)` before you define routes. If a route should have no limit, give it `config: { rateLimit: false }`.",
  },
  TIDEGATE_STORE_REUSED: {
    switch: "unsharedStore",
    meaning:
      "Two limiters have the same store. A store of another package counts the requests of both together. `MemoryStore` counts them apart, and its methods read and reset the counts of the later limiter.",
    remedy: "Make a store for each limiter, with a prefix of its own if they share a database.",
  },
  TIDEGATE_STORE_HITS: {
    switch: "positiveHits",
    meaning: "A store returned a count that is not a whole number of at least 1.",
    remedy:
      "Correct the store. Until then a fraction is rounded up, a number below 0 counts as 0, and a number may be text. Anything else is an error.",
  },
  TIDEGATE_STORE_RESET_TIME: {
    switch: "headersResetTime",
    meaning: "A store did not return the end of its window, so headers show a whole window.",
    remedy: "Change the store so that it returns `resetTime`.",
  },
  TIDEGATE_STORE_FAILED: {
    switch: "storeFailed",
    meaning:
      "A store failed or did not answer in time. The request passed uncounted, as the options say, or a hit was not refunded. Each failure is reported, at most ten a second, also with `validate: false`.",
    remedy: "Look at the error of the store. To count in this process, you need no store.",
  },
  TIDEGATE_STORE_UNREADY: {
    switch: "storeFailed",
    meaning: "A store failed to start. Requests are counted in it all the same.",
    remedy: "Look at the cause in the warning.",
  },
  TIDEGATE_LIMIT_ZERO: {
    switch: "limit",
    meaning: "The limit is 0, so every request is refused.",
    remedy: "If no request should be limited, leave the limiter out, or return true from `skip`.",
  },
  TIDEGATE_OPTION_UNREAD: {
    switch: "knownOptions",
    meaning: "An option is unknown, and was ignored.",
    remedy: "Remove the option, or correct its spelling.",
  },
  TIDEGATE_OPTION_REMOVED: {
    switch: "onLimitReached",
    meaning: "An option was ignored. The limiter that this one replaces has removed it, too.",
    remedy:
      "Remove the option: `onLimited` is called for refusals, and `standardHeaders` chooses fields.",
  },
  TIDEGATE_NUMBER_AS_TEXT: {
    switch: "numericText",
    meaning:
      "A limit, or the length of a window, is text, as from an environment variable. Text of digits counts as the number. Any other text is refused.",
    remedy: "Convert it where you read it: `Number(process.env.LIMIT ?? 100)`.",
  },
  TIDEGATE_WINDOW_SHORT: {
    switch: "windowMs",
    meaning: "Windows are in milliseconds, and this number looks like seconds.",
    remedy: "Multiply it by 1,000, or leave it if you mean milliseconds.",
  },
  TIDEGATE_SWITCH_UNREAD: {
    switch: "validationsConfig",
    meaning: "`validate` contains an unknown name, so that entry switches nothing.",
    remedy:
      'The page shows the name of each warning after "Switched off by". `default` means all others.',
  },
  TIDEGATE_HEADERS_UNREAD: {
    switch: "headersDraftVersion",
    meaning: "`standardHeaders` contains an unknown draft, so no such fields are sent.",
    remedy: "Use one of draft-6, draft-7, draft-8 and draft-11.",
  },
  TIDEGATE_SUBNET_UNREAD: {
    switch: "ipv6SubnetOrKeyGenerator",
    meaning: "`ipv6Subnet` has no effect beside a key function: only the default keys use it.",
    remedy: "Remove one of the two options.",
  },
  TIDEGATE_FIELD_NAME_INVALID: {
    switch: "identifier",
    meaning:
      "A function returned a policy name that no field can contain. The default name was sent.",
    remedy: "Return printable ASCII.",
  },
  TIDEGATE_RETRY_AFTER_INVALID: {
    switch: "retryAfter",
    meaning:
      "A function returned something other than a whole number of seconds. The computed wait was sent.",
    remedy: "Return a whole number of at least 1.",
  },
  TIDEGATE_REQUEST_FAILED: {
    switch: "onError",
    meaning:
      "A function that is an option failed, and `onError` decided about the request instead of a limit.",
    remedy: "Look at the cause in the warning, and catch the error in the function.",
  },
  TIDEGATE_AFTERWARDS_FAILED: {
    switch: "afterwards",
    meaning:
      "A function or a store failed after the request had been decided. Such a function runs when a request is refused or has been answered, and such a store was asked for a refund. The decision stays as it was.",
    remedy: "Look at the cause in the warning, and catch the error in the function.",
  },
};
