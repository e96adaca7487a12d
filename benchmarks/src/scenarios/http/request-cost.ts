/**
 * What a limiter adds to a request, without a line.
 *
 * Applications without a limiter and behind each of them answer the same requests in turns, round by
 * round, each in its own process. What a limiter adds is what its application takes longer than one that
 * has a middleware or a hook too, which only passes requests on: to call it is the framework's work, and
 * the same for all.
 */

import type { Family } from "../../http/exchange.ts";
import type { FrameworkName, LimiterName } from "../../http/site.ts";
import { SiteProcess } from "../../http/site-process.ts";
import type { SiteParameters } from "../../http/site-worker.ts";
import { timeRounds } from "../../measure/rounds.ts";
import { quantile } from "../../measure/statistics.ts";

export interface RequestCostParameters {
  readonly framework: FrameworkName;
  readonly family: Family;
  readonly limiters: readonly LimiterName[];
  readonly clients: number;
  readonly requests: number;
  readonly rounds: number;
  /** How often all of it happens, in new processes. */
  readonly starts: number;
  /** The workers beside another commit's packages: each limiter then has a twin there, and both take turns. */
  readonly otherWorkers?: string;
}

/** What one limiter adds, by the middle of all rounds and by the tenth that was disturbed least. */
export interface RequestCostRecord {
  readonly kind: "requestCost";
  readonly framework: FrameworkName;
  readonly family: Family;
  readonly limiter: LimiterName;
  readonly sendsHeaders: boolean;
  readonly clients: number;
  readonly requests: number;
  readonly rounds: number;
  /** Nanoseconds of a request without a limiter. */
  readonly bareNs: number;
  /** What it adds that a limiter is asked at all: the same for each of them. */
  readonly passingNs: number;
  /** What the limiter adds to that. */
  readonly addedNs: number;
  readonly addedNsLow: number;
  /** Only of a limiter of another commit. */
  readonly build?: "other";
}

/** What is compiled late is compiled after some hundred thousand requests, and meanwhile by this process. */
const WARM_UP_ROUNDS = 200;
const LOW = 0.1;

export async function measureRequestCost(
  parameters: RequestCostParameters,
  progress: (activity: string) => void,
): Promise<RequestCostRecord[]> {
  const { rounds, starts } = parameters;
  const asked = sitesOf(parameters);
  const samples = asked.map((): number[] => []);
  for (let start = 1; start <= starts; start++) {
    const sites = asked.map((parameters) => new SiteProcess(parameters));
    try {
      progress(`processes ${start} of ${starts}, warming up`);
      for (let round = 0; round < WARM_UP_ROUNDS; round++) {
        for (const site of sites) await site.time();
      }
      const timings = await timeRounds(sites, rounds, async (round) => {
        progress(`processes ${start} of ${starts}, round ${round + 1} of ${rounds}`);
      });
      timings.samples.forEach((times, index) => void samples[index]!.push(...times));
    } finally {
      for (const site of sites) site.close();
    }
  }
  return recordsOf(asked, samples);
}

function recordsOf(
  asked: readonly SiteParameters[],
  samples: readonly (readonly number[])[],
): RequestCostRecord[] {
  const rounds = samples[0]!.length;
  const [bare, passing] = [samples[0]!, samples[1]!];
  const bareNs = quantile(bare, 0.5);
  const passingNs = quantile(passing, 0.5) - bareNs;
  return asked.flatMap((parameters, index) => {
    const { framework, family, limiter, sendsHeaders, clients, requests, workers } = parameters;
    if (limiter === "nothing" || limiter === "passing on") return [];
    const added = (share: number): number =>
      quantile(samples[index]!, share) - quantile(passing, share);
    return {
      ...({ kind: "requestCost", framework, family, limiter, sendsHeaders } as const),
      ...{ clients, requests, rounds, bareNs, passingNs },
      ...{ addedNs: added(0.5), addedNsLow: added(LOW) },
      ...(workers !== undefined && ({ build: "other" } as const)),
    };
  });
}

/** Without a limiter first, in either way, then each limiter without headers and with them. */
function sitesOf({ limiters, otherWorkers, ...given }: RequestCostParameters): SiteParameters[] {
  const { framework, family, clients, requests } = given;
  const builds = otherWorkers === undefined ? [{}] : [{}, { workers: otherWorkers }];
  const unlimited = (["nothing", "passing on"] as const).map((limiter) => ({
    ...{ limiter, sendsHeaders: false },
  }));
  const limited = [false, true].flatMap((sendsHeaders) =>
    limiters.flatMap((limiter) => builds.map((build) => ({ limiter, sendsHeaders, ...build }))),
  );
  const common = { framework, family, clients, requests };
  return [...unlimited, ...limited].map((one) => ({ ...common, ...one }));
}
