/**
 * What tidegate claims about the cost of a check, held against what was measured.
 *
 * Timings depend on the machine and its neighbours, so this is a report and fails nothing. Speeds
 * are judged without the time for making the key, which is no limiter's work; the notes say how the
 * comparison ends with it.
 */

import { TRAFFIC_NAMES } from "../cluster/traffic.ts";
import type { Finding } from "../section.ts";
import { EVERY_SLOT, PEER_LIMITERS, PLAIN_MAP, TIDEGATE_SUBJECTS } from "../subjects/registry.ts";
import { atLeast, atMost, type TargetResult } from "../target.ts";
import { CORE_HEADINGS } from "./core-suite.ts";
import { Evidence } from "./evidence.ts";

const [FIXED_WINDOW, SLIDING_WINDOW] = TIDEGATE_SUBJECTS;
const [ONE_WINDOW, WINDOW_EACH, NEWEST_TOO, ONE_SLOT, EACH_SLOT] = TRAFFIC_NAMES;
const TEN_MILLION = 10_000_000;

/** One result per claim. */
export function coreTargets(findings: readonly Finding[]): TargetResult[] {
  const evidence = new Evidence(findings);
  const { hotKey, hundredThousand, million } = CORE_HEADINGS;
  return [
    atLeast(
      1.3,
      "×",
      "hot key: at least 1.3 × as fast as express-rate-limit",
      evidence.speedBeside(["express-rate-limit"], hotKey),
    ),
    atLeast(
      3,
      "×",
      "hot key: at least 3 × as fast as rate-limiter-flexible",
      evidence.speedBeside(["rate-limiter-flexible"], hotKey),
    ),
    atLeast(
      1,
      "×",
      "hot key: no slower than @fastify/rate-limit",
      evidence.speedBeside(["@fastify/rate-limit"], hotKey),
    ),
    atLeast(
      3,
      "×",
      "1M keys, uniform: at least 3 × as fast as the fastest peer",
      evidence.speedBeside(PEER_LIMITERS, million),
    ),
    atLeast(
      2,
      "×",
      "1M keys, uniform: at least 2 × as fast as a plain Map",
      evidence.speedBeside([PLAIN_MAP], million),
    ),
    atMost(
      1.1,
      "×",
      "hot key: refusing takes at most 1.1 × as long as allowing",
      evidence.refusalBesideAllowance(hotKey),
    ),
    atMost(
      1.1,
      "×",
      "100k keys: refusing takes at most 1.1 × as long as allowing",
      evidence.refusalBesideAllowance(hundredThousand),
    ),
    atMost(
      64,
      "bytes",
      "fixedWindow: at most 64 bytes per key at any table size",
      evidence.bytesPerKey(FIXED_WINDOW),
    ),
    atMost(
      160,
      "bytes",
      "slidingWindow of 12 slots: at most 160 bytes per key",
      evidence.bytesPerKey(SLIDING_WINDOW, EVERY_SLOT),
    ),
    atMost(
      64,
      "bytes",
      "fixedWindow in a cluster: at most 64 bytes per key that no other replica counted",
      evidence.bytesPerKeyAlone(ONE_WINDOW, WINDOW_EACH, NEWEST_TOO),
    ),
    atMost(
      32,
      "bytes",
      "fixedWindow in a cluster: at most 32 more per replica that counted in the same window",
      evidence.bytesPerOther(ONE_WINDOW),
    ),
    atMost(
      32,
      "bytes",
      "fixedWindow in a cluster: at most 32 more per replica that opened its own window",
      evidence.bytesPerOther(WINDOW_EACH),
    ),
    atMost(
      240,
      "bytes",
      "slidingWindow of 12 slots in a cluster: at most 240 bytes per key that two counted",
      evidence.bytesPerKeyOfTwo(ONE_SLOT, EACH_SLOT),
    ),
    atMost(
      1_024,
      "MiB",
      "10M keys: the process stays under 1 GiB",
      evidence.processMib(TEN_MILLION),
    ),
    atMost(
      20,
      "ms",
      "filling to 10M keys: no check over 20 ms",
      evidence.longestCheckMs(TEN_MILLION),
    ),
    atMost(160, "bytes", "at most 160 bytes of garbage per check", evidence.garbagePerCheck()),
    atMost(5, "ms", "idle: at most 5 ms of processor time in 10 s", evidence.idleMs()),
    atMost(1_000, "ms", "closed: the process ends within 1 s", evidence.leavingMs()),
  ];
}
