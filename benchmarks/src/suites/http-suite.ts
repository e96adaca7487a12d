/**
 * The suite `http`: what a limiter adds to a request under each framework.
 */

import type { Family } from "../http/exchange.ts";
import { type FrameworkName, LIMITERS, PEERS } from "../http/site.ts";
import { UNDISTURBED_FLAGS } from "../node-flags.ts";
import type { Section } from "../section.ts";

export const HTTP_HEADINGS = {
  request: "What a request costs",
  socket: "A request over a socket",
  fleet: "A fleet under one limit",
} as const;

const FRAMEWORKS: readonly FrameworkName[] = ["Express", "Koa", "Fastify"];
const FAMILIES: readonly Family[] = [4, 6];

export function httpSuite(quick: boolean): Section[] {
  return [
    {
      heading: HTTP_HEADINGS.request,
      jobs: FAMILIES.flatMap((family) =>
        FRAMEWORKS.map((framework) => ({
          title: family === 4 ? framework : `${framework}, IPv6`,
          scenario: "requestCost",
          parameters: {
            ...{ framework, family, limiters: LIMITERS },
            clients: 1_000,
            requests: 1_000,
            rounds: 31,
            starts: quick ? 1 : 5,
          },
          nodeFlags: UNDISTURBED_FLAGS,
        })),
      ),
    },
    {
      heading: HTTP_HEADINGS.socket,
      jobs: FRAMEWORKS.map((framework) => ({
        title: framework,
        scenario: "socketCost",
        parameters: { framework, requests: 1_000, rounds: quick ? 5 : 31 },
      })),
    },
    {
      heading: HTTP_HEADINGS.fleet,
      jobs: (["peer", "tidegate"] as const).map((limiter) => ({
        title: limiter === "peer" ? PEERS.Express : limiter,
        scenario: "fleet",
        parameters: {
          ...{ limiter, processes: 4, limit: 100, requestsPerSecond: 80 },
          ...{ windowMs: quick ? 6_000 : 10_000, windows: quick ? 1 : 3 },
        },
      })),
    },
  ];
}
