/** Makes the limiters of a gate, with the names of their policies and their fields. */

import { DAY, HOUR, invalidOption, missingOption, SECOND } from "../../base/options.ts";
import { createLimiter, type Limiter } from "../../limiter/limiter.ts";
import type { Policy } from "../../policies/policy.ts";
import { SLIDING_LOG_LIMIT_MAX, slidingLog } from "../../policies/sliding-log.ts";
import type { Counter } from "../counter.ts";
import { type Budget, Budgets } from "../flow/gate-plan.ts";
import {
  type Draft,
  type FieldName,
  Fields,
  isFieldText,
  type LegacyFields,
  limitOf,
  namesPolicies,
  QUOTA_MAX,
  Quota,
} from "../headers/fields.ts";
import { type CompleteAdapter, PLACE } from "./adapter.ts";
import type { GateOptions } from "./gate-options.ts";
import { API_WINDOW_MS, LOGIN } from "./presets.ts";

const NAME_DEFAULT = "default";

/** Windows that are implausible in milliseconds: an hour and a day in seconds. */
const SECONDS_OFTEN_GIVEN = [HOUR / SECOND, DAY / SECOND];

/** Which fields a gate writes. */
export interface FieldChoice {
  readonly legacyHeaders: boolean;
  readonly standard: Draft | null;
}

export class BudgetMaker<Request, Response> {
  readonly #options: GateOptions<Request, Response>;
  readonly #adapter: CompleteAdapter<Request, Response>;
  readonly #choice: FieldChoice;
  readonly #name: string;

  constructor(
    options: GateOptions<Request, Response>,
    adapter: CompleteAdapter<Request, Response>,
    choice: FieldChoice,
  ) {
    this.#options = options;
    this.#adapter = adapter;
    this.#choice = choice;
    if (options.cluster !== undefined && options.name === undefined) {
      throw missingOption(
        PLACE,
        "name",
        "with 'cluster', limiters of the same name count together, such as 'api'",
      );
    }
    this.#name = options.name ?? NAME_DEFAULT;
  }

  /** The budgets of requests. */
  budgets(): Budgets {
    const { policies } = this.#options;
    const { counter } = this.#adapter;
    if (policies !== undefined) {
      const budget = this.#budget(this.#name, policies);
      return new Budgets(null, () => budget);
    }
    const { limit, usualMs } = this.#limitAndWindow();
    const make = (windowMs: number | null): Budget => {
      const policy = this.#adapter.defaults.policy(limit, windowMs ?? usualMs);
      const name = windowMs === null ? this.#name : `${this.#name}:${windowMs}`;
      const given = windowMs === null ? this.#adapter.limiter : undefined;
      return this.#budget(name, [policy], counter, given);
    };
    return new Budgets(usualMs, make);
  }

  /** The budgets of sign-in attempts, by address and by name. */
  loginBudgets(): { readonly byAddress: Budgets; readonly byName: Budget } {
    const { limit = LOGIN.limit, addressLimit = LOGIN.addressLimit } = this.#options;
    const { windowMs = LOGIN.windowMs } = this.#options;
    const width = this.#width(windowMs);
    const budget = (suffix: string, option: string, given: unknown): Budget => {
      const most = typeof given === "function" ? SLIDING_LOG_LIMIT_MAX : limitOf(option, given);
      return this.#budget(`${this.#name}:${suffix}`, [
        slidingLog({ limit: most, windowMs: width }),
      ]);
    };
    const byAddress = budget("address", "addressLimit", addressLimit);
    return {
      byAddress: new Budgets(width, () => byAddress),
      byName: budget("username", "limit", limit),
    };
  }

  #limitAndWindow(): { readonly limit: number; readonly usualMs: number } {
    const { preset = "parity", limit, windowMs } = this.#options;
    const { defaults: usual } = this.#adapter;
    if (limit === undefined && preset === "api") {
      throw missingOption(PLACE, "limit", "how many requests a window has");
    }
    const most = typeof limit === "function" ? QUOTA_MAX : limitOf("limit", limit ?? usual.limit);
    if (most === 0) this.#adapter.warnings.say("TIDEGATE_LIMIT_ZERO");
    const usualMs = preset === "api" ? API_WINDOW_MS : usual.windowMs;
    const given = typeof windowMs === "function" ? usualMs : (windowMs ?? usualMs);
    return { limit: most, usualMs: this.#width(given) };
  }

  /** A window's length, with a warning when it seems to be in seconds. */
  #width(windowMs: unknown): number {
    const width = widthOf(windowMs);
    if (width < SECOND || SECONDS_OFTEN_GIVEN.includes(width)) {
      const inMs = `${width}_000`.replace(/(\d)(?=(\d{3})+_)/g, "$1_");
      this.#adapter.warnings.say(
        "TIDEGATE_WINDOW_SHORT",
        `The window is ${width} ms; ${width} seconds are ${inMs}.`,
      );
    }
    return width;
  }

  #budget(name: string, policies: readonly Policy[], counter?: Counter, given?: Limiter): Budget {
    const { legacyHeaders, standard } = this.#choice;
    const { defaults } = this.#adapter;
    const legacy = legacyHeaders && hasNames(defaults.legacy) ? defaults.legacy : null;
    const { makeLimiter = createLimiter, counterOf = asItIs } = this.#adapter;
    const { cluster, clock, maxKeys, onPartition } = this.#options;
    const limiter =
      counter === undefined
        ? (given ?? makeLimiter({ name, policies, cluster, clock, maxKeys, onPartition }))
        : null;
    const quotas = policies.map((policy) => new Quota(policy));
    const names = policies.map((policy) => this.#fieldName(policy, policies.length));
    const texts = names.map((given, index) =>
      typeof given === "string" ? given : given(quotas[index]!.limit),
    );
    if (namesPolicies(standard)) for (const text of texts) this.#checkName(text, policies.length);
    const hasFields = legacy !== null || standard !== null;
    const isParity = (this.#options.preset ?? "parity") === "parity";
    const isSpaced = standard === "draft-8" && isParity && defaults.spacedLists === true;
    return {
      counter: counter ?? counterOf(limiter as Limiter),
      limiter,
      quotas,
      names: texts,
      fields: hasFields ? new Fields({ legacy, standard, quotas, names, isSpaced }) : null,
      holdsPermits: policies.some(({ kind }) => kind === "concurrency"),
    };
  }

  #checkName(name: string, count: number): void {
    if (isFieldText(name) && name !== "") return;
    const option = this.#options.identifier !== undefined && count === 1 ? "identifier" : "name";
    throw invalidOption(option, "printable ASCII, since it is sent in a header field", name);
  }

  #fieldName(policy: Policy, count: number): FieldName {
    const { identifier, preset = "parity" } = this.#options;
    if (count > 1) return policy.name;
    if (typeof identifier === "string") return identifier;
    if (policy.name !== policy.kind) return policy.name;
    if (preset === "api") return this.#name;
    if (!("windowMs" in policy)) return policy.name;
    const { fieldName = () => this.#name } = this.#adapter.defaults;
    return typeof this.#options.limit === "function"
      ? (limit) => fieldName(limit, policy.windowMs)
      : fieldName(policy.limit, policy.windowMs);
  }
}

function hasNames({ allowed, refused }: LegacyFields): boolean {
  return [allowed, refused].some((names) => Object.values(names).some((name) => name !== null));
}

function asItIs(limiter: Limiter): Counter {
  return limiter as Counter;
}

/**
 * A window's length as users of other packages may give it: fractions of a millisecond are rounded
 * up.
 */
function widthOf(windowMs: unknown): number {
  if (typeof windowMs === "number" && windowMs > 0 && windowMs < Infinity) {
    return Math.ceil(windowMs);
  }
  throw invalidOption("windowMs", "a number of milliseconds above 0", windowMs);
}
