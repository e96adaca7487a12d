/**
 * How far a fleet goes over a limit when news takes time, clocks are off and a store forgets: the
 * figures of docs/internals/accuracy.md, as Markdown.
 */

import { type Allowance, makePolicy, POLICY_NAMES, type PolicyName } from "./promises.ts";
import { type Outcome, runScenario, type Scenario } from "./scenario.ts";

const SECOND_LONG: Allowance = { limit: 1_000, windowMs: 1_000 };
const MINUTE_LONG: Allowance = { limit: 100, windowMs: 60_000 };
const SEED = 20_240;
const WINDOWS = 40;

/** How far a run is from hearing everything at once with perfect clocks. */
export interface Distance {
  readonly delayMs: number;
  readonly flushMs: number;
  readonly clockErrorMs: number;
}

export const FAR: Distance = { delayMs: 30, flushMs: 0, clockErrorMs: 10 };

export function farScenario(
  name: PolicyName,
  allowance: Allowance,
  rest: Partial<Scenario> & Pick<Scenario, "replicas" | "load">,
): Scenario {
  const policy = makePolicy(name, allowance);
  const traffic = { spacing: "poisson", placement: "even" } as const;
  return { ...allowance, ...traffic, ...FAR, policy, windows: WINDOWS, seed: SEED, ...rest };
}

/**
 * What the law says is admitted, in limits per window: replicas refuse once they know that the limit
 * is reached, and do not know what came to the others within the mean age of news.
 */
export function lawful(scenario: Scenario): number {
  const { replicas, load, windowMs, delayMs = 0, flushMs = 0 } = scenario;
  const ageMs = delayMs + flushMs / 2;
  return Math.min(load, 1 + (((replicas - 1) / replicas) * load * ageMs) / windowMs);
}

/** All tables, one below the other. */
export function accuracyTables(): string {
  return [sizes(), policies(), forgetting()].join("\n\n");
}

function sizes(): string {
  const rows = [
    { replicas: 3, load: 3 },
    { replicas: 10, load: 1.2 },
    { replicas: 10, load: 3 },
    { replicas: 10, load: 5 },
    { replicas: 50, load: 3 },
    { replicas: 10, load: 3, clockErrorMs: 0 },
    { replicas: 10, load: 3, delayMs: 0 },
    { replicas: 10, load: 3, delayMs: 5 },
    { replicas: 10, load: 3, delayMs: 5, flushMs: 50 },
    { replicas: 10, load: 3, flushMs: 50 },
  ].map((rest) => {
    const scenario = farScenario("fixedWindow", SECOND_LONG, rest);
    const aligned = farScenario("fixedWindow, aligned", SECOND_LONG, rest);
    return [
      scenario.replicas,
      scenario.load,
      `${scenario.delayMs} ms`,
      scenario.flushMs === 0 ? "each hit" : `${scenario.flushMs} ms`,
      `±${scenario.clockErrorMs} ms`,
      percent(lawful(scenario)),
      ...measured(scenario, runScenario(scenario)),
      ...measured(aligned, runScenario(aligned)),
    ];
  });
  return table(
    [
      "replicas",
      "offered",
      "delay",
      "flush",
      "clocks",
      "law",
      "admitted",
      "worst span",
      "aligned: admitted",
      "aligned: worst span",
    ],
    rows,
  );
}

function policies(): string {
  const rows = POLICY_NAMES.flatMap((name) =>
    [SECOND_LONG, MINUTE_LONG].map((allowance) => {
      const scenario = farScenario(name, allowance, { replicas: 10, load: 3, windows: 20 });
      const least = { ...scenario, placement: "least-informed" } as const;
      return [
        name,
        `${allowance.limit} per ${allowance.windowMs / 1_000} s`,
        percent(lawful(scenario)),
        ...measured(scenario, runScenario(scenario)),
        ...measured(least, runScenario(least)),
      ];
    }),
  );
  return table(
    [
      "policy",
      "limit",
      "law",
      "admitted",
      "worst span",
      "choosing: admitted",
      "choosing: worst span",
    ],
    rows,
  );
}

function forgetting(): string {
  const near = { delayMs: 0, clockErrorMs: 0, windows: 20 };
  const rows = POLICY_NAMES.flatMap((name) =>
    [3, 10].map((replicas) => {
      const usual = farScenario(name, MINUTE_LONG, { ...near, replicas, load: 3 });
      const forgetful = { ...usual, forgetful: 0 };
      const loyal = { ...forgetful, placement: "loyal" } as const;
      return [
        name,
        replicas,
        ...measured(usual, runScenario(usual)),
        ...measured(forgetful, runScenario(forgetful)),
        ...measured(loyal, runScenario(loyal)),
      ];
    }),
  );
  return table(
    [
      "policy",
      "replicas",
      "admitted",
      "worst span",
      "forgetting: admitted",
      "forgetting: worst span",
      "loyal: admitted",
      "loyal: worst span",
    ],
    rows,
  );
}

function measured({ limit, windowMs }: Scenario, { mean, admissions }: Outcome): string[] {
  return [percent(mean), percent(admissions.mostWithin(windowMs) / limit)];
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (fields: readonly (string | number)[]): string => `| ${fields.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}
