/**
 * `createRateLimit`: counts a request or peeks at its limit, and leaves the response to the
 * application. It writes nothing.
 */

import { type Limiter, type Policy, TidegateError } from "@tidegate/core";
import {
  type Adapter,
  type Framework,
  type Gate,
  type GateOptions,
  isThenable,
  makeGate,
  type ShownKey,
  showLimiters,
  type Verdict,
} from "@tidegate/core/http";
import type { FastifyRequest } from "fastify";
import { FASTIFY_REQUEST } from "../fastify-framework.ts";
import type { Given } from "../given.ts";
import type { AskRateLimit, RateLimitState } from "../options.ts";
import { adapterOf, gateOptionsOf, type Standing, shownKeyOf } from "../translate.ts";
import { banOf } from "./bans.ts";

/** The options that apply here; the rest are about responses. */
const ASKED = [
  ...(["preset", "cluster", "onPartition", "clock", "maxKeys", "limit", "windowMs"] as const),
  ...(["key", "policies", "cost", "allow", "allowsKeys", "skip", "ipv6Subnet"] as const),
  ...(["translationPrefixes", "onPermissiveProxy", "onError", "ban"] as const),
  ...(["continueExceeding", "exponentialBackoff", "username", "addressLimit", "names"] as const),
];

/** The results for one request. */
class Note {
  key: ShownKey | null = null;
  /** The window length, if the request has its own. */
  windowMs: unknown = null;
  verdict: Verdict | null = null;
  isRefused = false;
}

const NOTES: Framework<FastifyRequest, Note> = {
  ...FASTIFY_REQUEST,
  header: () => undefined,
  setHeader: () => {},
  removeHeader: () => {},
  headersSent: () => false,
  statusCode: () => 200,
  followEnd: () => ({ handling: () => {} }),
  beforeHeaders: () => {},
};

export function askRateLimit(given: Given, standing: Standing): AskRateLimit {
  const asked: Given = Object.fromEntries(
    ASKED.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  );
  if (asked.policies?.some(({ kind }) => kind === "concurrency") === true) {
    throw new TidegateError(
      "TIDEGATE_OPTION_CONFLICT",
      "'createRateLimit' sees no end of a response, so a 'concurrency' policy could never release its permit",
    );
  }
  const adapter = adapterOf(asked, standing);
  const counting = gateOf(asked, standing, adapter, false);
  const looking = gateOf(asked, standing, adapter, true);
  const countsTries = adapter.counterOf !== undefined;
  const ban = banOf(asked);
  const shownKey = shownKeyOf(asked);

  async function ask(
    request: FastifyRequest,
    { increment = true }: { increment?: boolean } = {},
  ): Promise<RateLimitState> {
    const note = new Note();
    const gate = increment ? counting : looking;
    await gate.enter(request, note);
    const key = shownKey(request, note.key);
    const policies = gate.limiter?.policies ?? [];
    const { verdict } = note;
    if (verdict === null && !note.isRefused) return { isAllowed: true, key };
    const policy = policies.find(({ name }) => name === verdict?.policy) ?? policies[0];
    const { limit = policy?.limit ?? 0, used = 0, remaining = 0 } = verdict ?? {};
    const timeWindow = Number(note.windowMs ?? widthOf(policy, limit));
    const waitMs = (verdict?.allowed ? verdict.resetMs : verdict?.retryAfterMs) ?? timeWindow;
    const ttl = waitMs < Number.POSITIVE_INFINITY ? waitMs : timeWindow;
    return {
      isAllowed: false,
      key,
      max: limit,
      timeWindow,
      remaining,
      ttl,
      ttlInSeconds: Math.ceil(ttl / 1_000),
      isExceeded: note.isRefused && (increment || isOver(verdict, policy, countsTries)),
      isBanned: ban !== null && used - limit > ban,
    };
  }

  return showLimiters(ask, counting);
}

/** A gate that refuses nothing and notes what it would have refused. */
function gateOf(
  given: Given,
  standing: Standing,
  { framework: _framework, onVerdict: _told, ...adapter }: ReturnType<typeof adapterOf>,
  peeks: boolean,
): Gate<FastifyRequest, Note> {
  const options = withoutNotes(gateOptionsOf<Note>(given, standing));
  const { windowMs: width } = options;
  const noting: Adapter<FastifyRequest, Note> = {
    ...adapter,
    framework: NOTES,
    isQuestion: true,
    onVerdict: (_request, note, verdict, key) => {
      note.verdict = verdict;
      note.key = key;
    },
    ...(peeks && { onlyLooks: true, counterOf: lookingAt }),
  };
  return makeGate<FastifyRequest, Note>(
    {
      ...options,
      // The application writes the response. A field that is switched on would be worked out in vain.
      ...{ dryRun: true, countPreflights: true, legacyHeaders: false, standardHeaders: false },
      ...{ exposeHeaders: false },
      onLimited: (_request, note) => {
        note.isRefused = true;
      },
      // The application also wants the key of requests that are allowed.
      block: (_request, note, key) => {
        note.key = key;
        return false;
      },
      ...(typeof width === "function" && {
        windowMs: (request, note, key) => {
          const answer = width(request, note, key);
          if (!isThenable(answer)) note.windowMs = answer;
          else answer.then((later) => (note.windowMs = later), ignore);
          return answer;
        },
      }),
    },
    noting,
  );
}

/** Calls users' functions without a reply. */
function withoutNotes(
  options: GateOptions<FastifyRequest, Note>,
): GateOptions<FastifyRequest, Note> {
  const entries = Object.entries(options).map(([name, given]: [string, unknown]) => {
    if (typeof given !== "function") return [name, given];
    return [
      name,
      (request: FastifyRequest, _note: Note, key?: ShownKey) => given(request, undefined, key),
    ];
  });
  return Object.fromEntries(entries);
}

/**
 * Whether a peek found more than a limit that is reached: where refused hits are counted, they show
 * which it is.
 */
function isOver(
  verdict: Verdict | null,
  policy: Policy | undefined,
  countsTries: boolean,
): boolean {
  if (verdict === null || (verdict.reason ?? "limit") !== "limit") return true;
  const countsRefused = policy !== undefined && "countRefused" in policy && policy.countRefused;
  return !(countsRefused || countsTries) || verdict.used > verdict.limit;
}

/** The length of a window, or the time in which an empty bucket refills. */
function widthOf(policy: Policy | undefined, limit: number): number {
  if (policy === undefined || policy.kind === "concurrency") return 0;
  return "windowMs" in policy ? policy.windowMs : Math.ceil((limit / policy.perSecond) * 1_000);
}

function lookingAt(limiter: Limiter): ReturnType<NonNullable<Adapter<never, never>["counterOf"]>> {
  return {
    check: (key, cost, options) => limiter.peek(key, cost, options),
    peek: (key, cost, options) => limiter.peek(key, cost, options),
    charge: () => {},
    refund: () => {},
    release: () => {},
  };
}

function ignore(): void {}
