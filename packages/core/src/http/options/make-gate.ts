/** Makes a gate from options. All checks of options are here, and run once. */

import { TidegateError } from "../../base/errors.ts";
import { flag, invalidOption, knownOptions, oneOf, wholeNumber } from "../../base/options.ts";
import { AddressList, ClientAddress, checkSubnet } from "../client/client-address.ts";
import { type Gate, PlannedGate } from "../flow/gate.ts";
import { type Afterwards, type GatePlan, Problems } from "../flow/gate-plan.ts";
import type { Omission } from "../headers/exposure.ts";
import { DRAFTS, limitOf, namesPolicies, partitioner } from "../headers/fields.ts";
import { withNumbers } from "../numeric-text.ts";
import type { AskedWithKey } from "../user-functions.ts";
import { type Adapter, type CompleteAdapter, completeAdapter, PLACE } from "./adapter.ts";
import { GATE_OPTIONS, type GateOptions, type Preset } from "./gate-options.ts";
import { inGivenNames } from "./given-options.ts";
import { BudgetMaker, type FieldChoice } from "./make-budgets.ts";
import { chosenDraft, PRESET_RULES, unusedOptions } from "./presets.ts";

export type { Adapter, ParityDefaults } from "./adapter.ts";
export type { GateOptions, NeededBy, Preset } from "./gate-options.ts";

/** The network length of all adapters in a cluster, so that a mixed fleet shares its keys. */
const CLUSTER_SUBNET = 56;

const HOLD_AFTER_HANG_UP_MS = 60_000;
/** The longest wait of a timer in Node. */
const HOLD_MS_MAX = 2 ** 31 - 1;

const FUNCTIONS = [
  "key",
  "username",
  "charge",
  "countIf",
  "skip",
  "requestWasSuccessful",
  "onLimited",
] as const;

/** Makes the gate that `options` describe, for the framework of an adapter. */
export function makeGate<Request extends object, Response>(
  options: GateOptions<Request, Response>,
  given: Adapter<Request, Response>,
): Gate<Request, Response> {
  const adapter = completeAdapter(given);
  return inGivenNames(
    given.names ?? {},
    () => new PlannedGate<Request, Response>(planOf(readGiven(options, adapter), adapter)),
  );
}

/** The options with numbers in place of texts, and with a preset; refuses unknown names. */
function readGiven<Request, Response>(
  options: GateOptions<Request, Response>,
  { presets, warnings }: CompleteAdapter<Request, Response>,
): GateOptions<Request, Response> & { readonly preset: Preset } {
  knownOptions(PLACE, options, GATE_OPTIONS);
  const given = withNumbers<GateOptions<Request, Response>>(options, warnings);
  for (const name of FUNCTIONS) {
    const value: unknown = given[name] ?? undefined;
    if (value === undefined || typeof value === "function") continue;
    throw invalidOption(name, "a function", value);
  }
  return { ...given, preset: oneOf("preset", given.preset ?? presets[0], presets) };
}

function planOf<Request extends object, Response>(
  given: GateOptions<Request, Response> & { readonly preset: Preset },
  adapter: CompleteAdapter<Request, Response>,
): GatePlan<Request, Response> {
  const { defaults } = adapter;
  const { preset } = given;
  refuseConflicts(given, preset === "login", adapter);
  const rules = PRESET_RULES[preset];
  const choice = fieldChoice(given, adapter);
  const maker = new BudgetMaker(given, adapter, choice);
  const login = preset === "login" ? maker.loginBudgets() : null;
  const budgets = login?.byAddress ?? maker.budgets();
  const { identifier, username, limit, windowMs } = given;
  if (identifier !== undefined && !["string", "function"].includes(typeof identifier)) {
    throw invalidOption("identifier", "a name, or a function that returns one", identifier);
  }
  const limitOfEach = typeof limit === "function" ? limit : null;
  const isNamed = namesPolicies(choice.standard);
  const partition = partitioner(given.partitionKey);
  const onError = oneOf("onError", given.onError ?? "throw", ["throw", "open", "closed"]);
  const exposes = flag("exposeHeaders", given.exposeHeaders ?? rules.exposeHeaders);
  return {
    framework: adapter.framework,
    warnings: adapter.warnings,
    budgets,
    username:
      login === null ? null : { budget: login.byName, of: username as never, limit: limitOfEach },
    onlyLooks: adapter.onlyLooks === true,
    letsPreflightsPass: !flag("countPreflights", given.countPreflights ?? false),
    skip: given.skip ?? null,
    ...blockOf(given, adapter),
    allow: listOf("allow", given.allow),
    ...clientOf(given, adapter),
    key: given.key ?? null,
    needsAddress: login !== null,
    windowMs: typeof windowMs === "function" ? windowMs : null,
    limit: login === null ? limitOfEach : null,
    cost: numberOr("cost", given.cost ?? 1, 0),
    onVerdict: adapter.onVerdict ?? null,
    onLimited: given.onLimited ?? null,
    limitedMayThrow: defaults.limitedMayThrow === true && onError === "throw",
    onError,
    dryRun: flag("dryRun", given.dryRun ?? false),
    enforces: given.dryRun !== true || adapter.isQuestion === true,
    identifier: isNamed && typeof identifier === "function" ? identifier : null,
    partition: isNamed ? partition : null,
    exposed: exposes ? (budgets.usual.fields?.exposedNames() ?? ["Retry-After"]) : null,
    omit: omissionOf(given.omitHeaders),
    sendsRetryAfter: defaults.sendsRetryAfter,
    retryAfter: given.retryAfter === undefined ? null : numberOr("retryAfter", given.retryAfter, 1),
    retryAfterUnit: rules.retryAfterUnit,
    statusCode: wholeNumber("statusCode", given.statusCode ?? 429, 100, 999),
    problems: rules.problems ? new Problems(problemTypeOf(given.problemType)) : null,
    afterwards: afterwardsOf(given, adapter),
    holdAfterHangUpMs: wholeNumber(
      "holdAfterHangUpMs",
      given.holdAfterHangUpMs ?? HOLD_AFTER_HANG_UP_MS,
      0,
      HOLD_MS_MAX,
    ),
    following: adapter.showsHandlers === true ? new WeakMap() : null,
  };
}

function fieldChoice<Request, Response>(
  options: GateOptions<Request, Response>,
  { defaults }: CompleteAdapter<Request, Response>,
): FieldChoice {
  const draft = chosenDraft(options);
  const usual = PRESET_RULES[options.preset ?? "parity"].legacyHeaders ?? defaults.legacyHeaders;
  return {
    legacyHeaders: flag("legacyHeaders", options.legacyHeaders ?? usual),
    standard: draft === false ? null : oneOf("standardHeaders", draft, DRAFTS),
  };
}

function clientOf<Request, Response>(
  options: GateOptions<Request, Response>,
  adapter: CompleteAdapter<Request, Response>,
): Pick<GatePlan<Request, Response>, "client" | "subnet" | "subnetRange"> {
  const { framework, warnings, defaults } = adapter;
  const { ipv6SubnetRange } = defaults;
  const { cluster, ipv6Subnet, onPermissiveProxy = "warn" } = options;
  const usual = cluster === undefined ? defaults.ipv6Subnet : CLUSTER_SUBNET;
  oneOf("onPermissiveProxy", onPermissiveProxy, ["warn", "socket"]);
  return {
    client: new ClientAddress(framework, warnings, options),
    subnet:
      typeof ipv6Subnet === "function"
        ? ipv6Subnet
        : checkSubnet("ipv6Subnet", ipv6Subnet ?? usual, ...ipv6SubnetRange),
    subnetRange: ipv6SubnetRange,
  };
}

function listOf<Request, Response>(
  option: string,
  given: readonly string[] | AskedWithKey<Request, Response, unknown> | undefined,
): AddressList | AskedWithKey<Request, Response, unknown> | null {
  if (given === undefined) return null;
  return typeof given === "function" ? given : new AddressList(option, given);
}

function blockOf<Request, Response>(
  given: GateOptions<Request, Response>,
  { isQuestion = false }: CompleteAdapter<Request, Response>,
): Pick<GatePlan<Request, Response>, "block" | "blocksGone"> {
  const block = listOf("block", given.block);
  const looks = typeof block === "function" || block?.hasAddresses === true;
  return { block, blocksGone: looks && !isQuestion };
}

function numberOr<Asked>(option: string, given: number | Asked, least: number): number | Asked {
  return typeof given === "function" ? given : wholeNumber(option, given, least);
}

function problemTypeOf(given: unknown): string | undefined {
  if (given === undefined || (typeof given === "string" && given !== "")) return given;
  throw invalidOption("problemType", "a URI, or 'about:blank' for none", given);
}

function omissionOf(given: readonly string[] | undefined): Omission | null {
  if (given === undefined) return null;
  if (!Array.isArray(given)) throw invalidOption("omitHeaders", "an array", given);
  for (const entry of given) oneOf("omitHeaders", entry, ["redirects", "cacheable"]);
  return { redirects: given.includes("redirects"), cacheable: given.includes("cacheable") };
}

function afterwardsOf<Request, Response>(
  options: GateOptions<Request, Response>,
  { framework, defaults: { countsRefused } }: CompleteAdapter<Request, Response>,
): Afterwards<Request, Response> | null {
  const { charge = null, countIf = null, requestWasSuccessful } = options;
  const refundsFailed = flag("skipFailedRequests", options.skipFailedRequests ?? false);
  const refundsSuccessful = flag("skipSuccessfulRequests", options.skipSuccessfulRequests ?? false);
  if (!refundsFailed && !refundsSuccessful && charge === null && countIf === null) return null;
  return {
    refundsFailed,
    refundsSuccessful,
    refundsHangUps: flag("refundHangUps", options.refundHangUps ?? false),
    wasSuccessful:
      requestWasSuccessful ?? ((_request, response) => framework.statusCode(response) < 400),
    countsRefused: countsRefused && (refundsFailed || refundsSuccessful),
    charge,
    countIf,
  };
}

/** Refuses options that contradict each other or need another one. */
function refuseConflicts<Request, Response>(
  options: GateOptions<Request, Response>,
  isLogin: boolean,
  { counter }: CompleteAdapter<Request, Response>,
): void {
  const both = (one: keyof typeof options, other: keyof typeof options): void => {
    if (options[one] === undefined || options[other] === undefined) return;
    throw conflict(`give '${one}' or '${other}', not both`);
  };
  both("policies", "windowMs");
  both("countIf", "charge");
  if (options.refundHangUps === true && options.skipFailedRequests !== true) {
    throw conflict("'refundHangUps' needs 'skipFailedRequests', which decides what has failed");
  }
  if (typeof options.limit === "number") both("policies", "limit");
  if (options.identifier !== undefined && (options.policies?.length ?? 0) > 1) {
    throw conflict("'identifier' names the only policy: give each of several 'policies' its name");
  }
  if (options.countIf !== undefined) {
    if (options.skipFailedRequests === true) both("countIf", "skipFailedRequests");
    if (options.skipSuccessfulRequests === true) both("countIf", "skipSuccessfulRequests");
    if (options.policies?.some(({ kind }) => kind === "concurrency") === true) {
      throw conflict(
        "'countIf' counts after the response, and 'concurrency' before it: give only one of them",
      );
    }
  }
  for (const { name, needs } of unusedOptions(options)) throw conflict(`'${name}' needs ${needs}`);
  if (isLogin !== (options.username !== undefined)) {
    throw conflict("the preset 'login' and the option 'username' need each other");
  }
  if (isLogin) both("username", "policies");
  if (isLogin) both("username", "key");
  if (!isLogin) refuse(options, ["addressLimit"], "needs the preset 'login'");
  else limitOf("addressLimit", options.addressLimit ?? 0);
  if (counter === undefined) return;
  refuse(options, STORE_CONFLICTS, "needs a limiter of tidegate, not a store");
  if (typeof options.windowMs === "function") {
    throw conflict("a 'windowMs' function needs a limiter of tidegate, not a store");
  }
}

const STORE_CONFLICTS = ["policies", "cost", "charge", "countIf", "cluster", "username"] as const;

function refuse<Options extends object>(
  options: Options,
  names: readonly (keyof Options & string)[],
  why: string,
): void {
  for (const name of names) {
    if (options[name] !== undefined) throw conflict(`'${name}' ${why}`);
  }
}

function conflict(message: string): TidegateError {
  return new TidegateError("TIDEGATE_OPTION_CONFLICT", message);
}
