/**
 * A chart of what a fleet admits: requests admitted in the current window over time, a line for each limiter,
 * and the limit.
 */

import type { FleetRecord } from "../scenarios/http/fleet.ts";
import { PEERS } from "./site.ts";

const WIDTH = 960;
const HEIGHT = 440;
const LEFT = 64;
const RIGHT = 32;
const TOP = 108;
const BOTTOM = 52;
const TICKS = 4;

const COLOURS: Readonly<Record<FleetRecord["limiter"], string>> = {
  tidegate: "#0f7b6c",
  peer: "#c2410c",
};

/** An SVG document; the records are of one fleet under different limiters. */
export function fleetChart(records: readonly FleetRecord[]): string {
  const [first] = records;
  if (first === undefined) throw new Error("a chart needs a fleet that was measured");
  const { processes, limit, windowMs, requestsPerSecond } = first;
  const endMs = Math.max(...records.map(({ perWindow }) => perWindow.length)) * windowMs;
  const most = Math.max(limit, ...records.flatMap(({ perWindow }) => perWindow));
  const step = niceStep(most / TICKS);
  const top = Math.ceil(most / step) * step;
  const x = (ms: number): string => (LEFT + (ms / endMs) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const y = (count: number): string =>
    (HEIGHT - BOTTOM - (count / top) * (HEIGHT - TOP - BOTTOM)).toFixed(1);

  const lines: string[] = [];
  for (let count = 0; count <= top; count += step) {
    lines.push(
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(count)}" y2="${y(count)}" stroke="#e2e8f0"/>`,
      `<text x="${LEFT - 10}" y="${Number(y(count)) + 5}" text-anchor="end" fill="#475569">${count}</text>`,
    );
  }
  for (let ms = 0; ms <= endMs; ms += windowMs) {
    lines.push(
      `<text x="${x(ms)}" y="${HEIGHT - BOTTOM + 24}" text-anchor="middle" fill="#475569">${ms / 1_000} s</text>`,
    );
  }
  lines.push(
    `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(limit)}" y2="${y(limit)}" stroke="#0f172a" stroke-dasharray="6 5"/>`,
    `<text x="${WIDTH - RIGHT}" y="${Number(y(limit)) - 8}" text-anchor="end" fill="#0f172a">limit: ${limit}</text>`,
  );
  for (const record of records) {
    const points = pathOf(record, x, y);
    lines.push(
      `<path d="${points}" fill="none" stroke="${COLOURS[record.limiter]}" stroke-width="3" stroke-linejoin="round"/>`,
    );
  }
  records.forEach((record, index) => {
    const at = LEFT + index * 430;
    lines.push(
      `<line x1="${at}" x2="${at + 26}" y1="80" y2="80" stroke="${COLOURS[record.limiter]}" stroke-width="4"/>`,
      `<text x="${at + 34}" y="85" fill="#0f172a">${nameOf(record)}: ${record.perWindow.join(", ")} admitted</text>`,
    );
  });
  const title =
    `${processes} processes, one client, a limit of ${limit} in ${windowMs / 1_000} s, ` +
    `${requestsPerSecond} requests a second`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="Helvetica, Arial, sans-serif" font-size="15">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="28" font-size="18" font-weight="bold" fill="#0f172a">Requests admitted in each window</text>`,
    `<text x="${LEFT}" y="52" fill="#475569">${title}</text>`,
    ...lines,
    "</svg>",
    "",
  ].join("\n");
}

/** Climbs by one with each admitted request, and begins again with each window. */
function pathOf(
  { admittedAtMs, perWindow, windowMs }: FleetRecord,
  x: (ms: number) => string,
  y: (count: number) => string,
): string {
  let path = "";
  let next = 0;
  for (const [window, admitted] of perWindow.entries()) {
    const startMs = window * windowMs;
    // Windows are measured with a pause between them, which the chart leaves out.
    const ofWindow = admittedAtMs.slice(next, next + admitted);
    next += admitted;
    const beganMs = ofWindow[0] ?? startMs;
    path += `M${x(startMs)} ${y(0)}`;
    ofWindow.forEach((ms, count) => {
      path += `L${x(Math.min(startMs + ms - beganMs, startMs + windowMs))} ${y(count + 1)}`;
    });
    path += `L${x(startMs + windowMs)} ${y(admitted)}`;
  }
  return path;
}

function nameOf({ limiter }: FleetRecord): string {
  return limiter === "peer" ? PEERS.Express : "tidegate";
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10);
}
