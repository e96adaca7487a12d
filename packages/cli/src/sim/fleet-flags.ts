/**
 * What all simulations are told of a fleet, in the same words.
 */

import { type Flag, toggle, type UsualFlag } from "../flags.ts";
import { duration, percentage, shownDuration, trimmed, wholeNumber } from "../units.ts";

export const REPLICAS_MAX = 500;
const SEED_MAX = 2 ** 31 - 1;

export const replicas: UsualFlag<number> = {
  takes: "N",
  about: `processes of the fleet, up to ${REPLICAS_MAX}`,
  usual: "10",
  read: wholeNumber(1, REPLICAS_MAX),
};

export const flush: UsualFlag<number> = {
  takes: "TIME",
  about: "how long a process may hold counts back: flushMs",
  usual: "50ms",
  read: duration(1, 60_000),
};

export const latency: UsualFlag<number> = {
  takes: "TIME",
  about: "how long a frame travels from one process to another",
  usual: "5ms",
  read: duration(0, 60_000),
};

export const jitter: UsualFlag<number> = {
  takes: "TIME",
  about: "a frame travels up to so much longer, at random",
  usual: "0ms",
  read: duration(0, 60_000),
};

export const loss: UsualFlag<number> = {
  takes: "PART",
  about: "the part of frames that is lost, such as 1%",
  usual: "0%",
  read: percentage,
};

export const seed: UsualFlag<number> = {
  takes: "N",
  about: "where randomness begins; a run with the same seed is the same",
  usual: "1",
  read: wholeNumber(0, SEED_MAX),
};

export const json: Flag<true> = toggle("print JSON instead of a table");

export function svg(usual: string): UsualFlag<string> {
  return {
    takes: "FILE",
    about: "where the chart is written; none for no chart",
    usual,
    read: (text) => text,
  };
}

/** How long a frame travels. */
export function shownTravel({
  latency,
  jitter,
}: {
  readonly latency: number;
  readonly jitter: number;
}): string {
  const least = shownDuration(latency);
  return jitter === 0 ? least : `${least} to ${shownDuration(latency + jitter)}`;
}

/** A part as it would be typed. */
export function typedPart(part: number): string {
  return `${trimmed(part * 100)}%`;
}

/** Where a chart goes, if it was asked for: JSON comes alone unless a file is named. */
export function chartFile(
  { svg: file, json: isJson }: { readonly svg: string; readonly json: true | undefined },
  { usual }: UsualFlag<string>,
): string | undefined {
  return file === "none" || (isJson === true && file === usual) ? undefined : file;
}
