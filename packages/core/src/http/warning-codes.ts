/**
 * What middleware can warn about: each mistake by its code, with what it means, what to do about it, and
 * the name that switches it off. The page in the docs is made from this table.
 *
 * A warning never changes what becomes of a request; what is done instead stands in its text.
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
  /** The name by which it can be switched off. */
  readonly switch: string;
  readonly meaning: string;
  readonly remedy: string;
}

const PROXY = `Let the framework trust the addresses of your proxies and nobody else: ${DOCS_URL}/guides/proxies.md shows how.`;

/** What each code means and what to do about it. The docs page is made from this table. */
export const WARNING_CODES: Readonly<Record<WarningCode, WarningEntry>> = {
  TIDEGATE_PROXY_TRUSTS_ALL: {
    switch: "trustProxy",
    meaning:
      "The framework believes what any client says about its own address, so a client can have a new budget with every request.",
    remedy: `${PROXY} Until then, \`onPermissiveProxy: "socket"\` counts by the address of the connection.`,
  },
  TIDEGATE_PROXY_TRUSTS_HOPS: {
    switch: "trustProxy",
    meaning:
      "A number of hops is given for the proxies to trust, and this version of the framework trusts nobody then (CVE-2026-16732): all clients behind a proxy share one budget.",
    remedy: `${PROXY}`,
  },
  TIDEGATE_FORWARDED_FOR_UNTRUSTED: {
    switch: "xForwardedForHeader",
    meaning:
      "Requests carry X-Forwarded-For and no proxy is trusted: if there is a proxy, all clients behind it share one budget.",
    remedy: `${PROXY} Without a proxy, nothing has to be done: the header is ignored.`,
  },
  TIDEGATE_FORWARDED_FOR_ABSENT: {
    switch: "xForwardedForHeader",
    meaning:
      "A trusted proxy sent a request without X-Forwarded-For, so it was counted by the proxy's own address.",
    remedy:
      "Have the proxy set the header on every request. A client must not be able to have it removed, for example by naming it in Connection.",
  },
  TIDEGATE_FORWARDED_IGNORED: {
    switch: "forwardedHeader",
    meaning: "Requests carry the header Forwarded, which the framework does not read.",
    remedy:
      "Have the proxy send X-Forwarded-For, or read the header in a key function of your own.",
  },
  TIDEGATE_ADDRESS_MISSING: {
    switch: "ip",
    meaning:
      "A request came on a connection that has no addresses, as a Unix socket has none; it was not counted.",
    remedy: "Give a key function if requests come from somewhere that has no addresses.",
  },
  TIDEGATE_ADDRESS_INVALID: {
    switch: "ip",
    meaning:
      "What the framework gave as the client's address is none, so the address of the connection was used.",
    remedy: "See what the proxy writes into X-Forwarded-For: it must be an address.",
  },
  TIDEGATE_KEY_EMPTY: {
    switch: "keyEmpty",
    meaning:
      "A key function answered with nothing that is a key, so the request was counted by its address.",
    remedy:
      "Answer with a key for every request. Users who have not signed in have no id: `key: (request) => request.user?.id ?? ipKeyGenerator(request.ip)` counts them by address, with `ipKeyGenerator` of the same package as `rateLimit`. A key is text, a number or bytes, or several of them in an array.",
  },
  TIDEGATE_KEY_IPV6: {
    switch: "keyGeneratorIpFallback",
    meaning:
      "A key function answered with an IPv6 address. One client has more of them than it could ever use up, each with a budget of its own, so for IPv6 there is no limit.",
    remedy:
      "Count by the network of the address: `key: (request) => request.user?.id ?? ipKeyGenerator(request.ip)`, with `ipKeyGenerator` of the same package as `rateLimit`.",
  },
  TIDEGATE_BODY_UNREAD: {
    switch: "unreadBody",
    meaning:
      "`username` answered with nothing, and the body of that request had not been parsed by then. Where that is always so, the preset `login` counts attempts by address alone.",
    remedy:
      'Put the middleware behind what parses bodies, such as `express.json()`; in Fastify give `hook: "preHandler"`. If only the client sent what your application does not parse, there is nothing to do.',
  },
  TIDEGATE_COUNTED_TWICE: {
    switch: "singleCount",
    meaning: "One request passed the same limiter twice and was counted twice.",
    remedy: "Mount the limiter once on the way of a request.",
  },
  TIDEGATE_MADE_PER_REQUEST: {
    switch: "creationStack",
    meaning:
      "A limiter was made while a request was handled. It forgets everything with that request, so it limits nothing.",
    remedy: "Make it once, where the application is put together.",
  },
  TIDEGATE_DECORATOR_TAKEN: {
    switch: "decorators",
    meaning:
      "The application has a decorator of the same name already. That one is left as it is, and the plugin's own is not there.",
    remedy: "Register the plugin before whatever makes the other, or rename the other.",
  },
  TIDEGATE_ROUTE_UNLIMITED: {
    switch: "routes",
    meaning: "A route was defined before the plugin had loaded, so the plugin does not limit it.",
    remedy:
      "Have `app.register(rateLimit, …)` awaited before routes are defined. A route that is meant to have no limit says so by `config: { rateLimit: false }`.",
  },
  TIDEGATE_STORE_REUSED: {
    switch: "unsharedStore",
    meaning:
      "Two limiters were given one store. Of another package, it counts the requests of both for each; `MemoryStore` counts them apart, and tells and resets what the later limiter counts.",
    remedy: "Make a store for each, with a prefix of its own if they share a database.",
  },
  TIDEGATE_STORE_HITS: {
    switch: "positiveHits",
    meaning: "A store answered with a count that is not a whole number of at least 1.",
    remedy:
      "Correct the store: until then a fraction is rounded up, what is below 0 is 0, and a number may be text; anything else is an error.",
  },
  TIDEGATE_STORE_RESET_TIME: {
    switch: "headersResetTime",
    meaning: "A store did not say when its window ends, so clients are told a whole window.",
    remedy: "Have the store answer with `resetTime`.",
  },
  TIDEGATE_STORE_FAILED: {
    switch: "storeFailed",
    meaning:
      "A store failed or did not answer in time: the request passed uncounted, as asked for, or a hit was not given back. Each failure is reported, ten in a second at most, also with `validate: false`.",
    remedy: "See the store's own error. Counting in this process needs no store.",
  },
  TIDEGATE_STORE_UNREADY: {
    switch: "storeFailed",
    meaning: "A store failed when it was told to begin; requests are counted in it all the same.",
    remedy: "See the cause in the warning.",
  },
  TIDEGATE_LIMIT_ZERO: {
    switch: "limit",
    meaning: "The limit is 0, so every request is refused.",
    remedy: "If no request should be limited, leave the limiter out, or answer `skip` with true.",
  },
  TIDEGATE_OPTION_UNREAD: {
    switch: "knownOptions",
    meaning: "An option is not known, and was ignored.",
    remedy: "Take it out, or correct its spelling.",
  },
  TIDEGATE_OPTION_REMOVED: {
    switch: "onLimitReached",
    meaning: "An option was given that the limiter replaced has removed, too; it was ignored.",
    remedy: "Take it out: `onLimited` is told of refusals, and `standardHeaders` chooses fields.",
  },
  TIDEGATE_NUMBER_AS_TEXT: {
    switch: "numericText",
    meaning:
      "A limit, or the width of a window, is text, as from an environment variable. Text of digits counts as the number; any other text is refused.",
    remedy: "Convert it where it is read: `Number(process.env.LIMIT ?? 100)`.",
  },
  TIDEGATE_WINDOW_SHORT: {
    switch: "windowMs",
    meaning: "Windows are given in milliseconds, and this one is likelier a number of seconds.",
    remedy: "Multiply it by 1,000, or leave it if it is meant so.",
  },
  TIDEGATE_SWITCH_UNREAD: {
    switch: "validationsConfig",
    meaning: "`validate` names a warning that there is none of, so nothing is switched by it.",
    remedy:
      'The page has the name of each warning under "Switched off by"; `default` is for all others.',
  },
  TIDEGATE_HEADERS_UNREAD: {
    switch: "headersDraftVersion",
    meaning: "`standardHeaders` names a draft that is not known, so no such fields are sent.",
    remedy: "Name one of draft-6, draft-7, draft-8 and draft-11.",
  },
  TIDEGATE_SUBNET_UNREAD: {
    switch: "ipv6SubnetOrKeyGenerator",
    meaning: "`ipv6Subnet` was given beside a key function, and only address keys use it.",
    remedy: "Take one of the two out.",
  },
  TIDEGATE_FIELD_NAME_INVALID: {
    switch: "identifier",
    meaning:
      "A function answered with a policy name that no field can carry; the usual one was sent.",
    remedy: "Answer with printable ASCII.",
  },
  TIDEGATE_RETRY_AFTER_INVALID: {
    switch: "retryAfter",
    meaning: "A function answered with no whole number of seconds; the computed wait was sent.",
    remedy: "Answer with a whole number of at least 1.",
  },
  TIDEGATE_REQUEST_FAILED: {
    switch: "onError",
    meaning:
      "A function given as an option failed, and `onError` decided about the request instead of a limit.",
    remedy: "See the cause in the warning, and catch it in the function.",
  },
  TIDEGATE_AFTERWARDS_FAILED: {
    switch: "afterwards",
    meaning:
      "A function that is told of a request, or runs once one has been answered or refused, or a store that was to give a hit back, failed; what becomes of the request had been decided and stays so.",
    remedy: "See the cause in the warning, and catch it in the function.",
  },
};
