/**
 * Line charts as SVG files: axes from zero, round ticks, a legend, and colours for light and dark.
 *
 * The file stands alone: it has no script, no font and no address. Colours are those of classes, so
 * viewers without media queries show the light ones.
 */

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** A line with a mark at each point; a line; a line of dashes for what was not measured. */
  readonly style: "marked" | "plain" | "dashed";
  /** Series of one colour belong together. */
  readonly color: number;
}

export interface Axis {
  readonly label: string;
  readonly show: (value: number) => string;
  /** The axis reaches at least that. */
  readonly least?: number;
}

export interface LineChart {
  readonly title: string;
  readonly subtitle: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

const WIDTH = 760;
const HEIGHT = 460;
const PLOT = { left: 72, right: 716, top: 112, bottom: 396 };
const TICKS = 6;
/** The letters of the legend, which nothing measures, take about that. */
const LETTER = 7.1;
const NARROW_LETTER = 4.2;

const LIGHT = ["#0b62c4", "#b3470b", "#0f7b4f", "#7b3fb5", "#a8324e", "#4a5a6a"];
const DARK = ["#7db9ff", "#ffab70", "#63d8a4", "#cfa3ff", "#ff93ac", "#b4c0cc"];

export function lineChart({ title, subtitle, x, y, series }: LineChart): string {
  const points = series.flatMap((line) => line.points);
  const xTicks = ticks(Math.max(x.least ?? 0, ...points.map(([value]) => value)));
  const yTicks = ticks(Math.max(y.least ?? 0, ...points.map(([, value]) => value)));
  const [xMost, yMost] = [xTicks.at(-1)!, yTicks.at(-1)!];
  const xOf = (value: number): number => PLOT.left + (value / xMost) * (PLOT.right - PLOT.left);
  const yOf = (value: number): number =>
    PLOT.bottom - (Math.max(0, value) / yMost) * (PLOT.bottom - PLOT.top);
  const middle = (PLOT.top + PLOT.bottom) / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(subtitle)}</desc>`,
    style(),
    `<rect class="paper" width="${WIDTH}" height="${HEIGHT}" rx="6"/>`,
    `<text class="title" x="24" y="34">${escaped(title)}</text>`,
    `<text class="quiet" x="24" y="56">${escaped(subtitle)}</text>`,
    ...legend(series),
    ...yTicks.map((tick) => {
      const at = round(yOf(tick));
      const grid = `<line class="${tick === 0 ? "axis" : "grid"}" x1="${PLOT.left}" x2="${PLOT.right}" y1="${at}" y2="${at}"/>`;
      return `${grid}<text class="tick" x="${PLOT.left - 10}" y="${round(at + 4)}" text-anchor="end">${escaped(y.show(tick))}</text>`;
    }),
    ...xTicks.map((tick) => {
      const at = round(xOf(tick));
      const mark = `<line class="axis" x1="${at}" x2="${at}" y1="${PLOT.bottom}" y2="${PLOT.bottom + 5}"/>`;
      return `${mark}<text class="tick" x="${at}" y="${PLOT.bottom + 21}" text-anchor="middle">${escaped(x.show(tick))}</text>`;
    }),
    `<text class="quiet" x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 46}" text-anchor="middle">${escaped(x.label)}</text>`,
    `<text class="quiet" transform="translate(20 ${middle}) rotate(-90)" text-anchor="middle">${escaped(y.label)}</text>`,
    // The first series is drawn last, above the others.
    ...[...series].reverse().map((line) => drawn(line, xOf, yOf)),
    "</svg>",
    "",
  ].join("\n");
}

/** Round numbers from 0 up to at least `most`, evenly spaced. */
export function ticks(most: number): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10]
    .map((part) => part * power)
    .find((part) => part >= rough * 0.999)!;
  const count = Math.ceil((most / step) * 0.999);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

function drawn(
  { points, style, color }: Series,
  xOf: (value: number) => number,
  yOf: (value: number) => number,
): string {
  const places = points.map(([x, y]) => [round(xOf(x)), round(yOf(y))] as const);
  const line = places.map(([x, y]) => `${x},${y}`).join("L");
  const marks =
    style === "marked"
      ? places.map(([x, y]) => `<circle class="mark c${color}" cx="${x}" cy="${y}" r="3.6"/>`)
      : [];
  const path = `<path class="line c${color} ${style}" d="M${line}"/>`;
  return [path, ...marks].join("\n");
}

function legend(series: readonly Series[]): string[] {
  let x = 24;
  return series.map(({ name, style, color }) => {
    const at = x;
    const narrow = name.match(/[ filjt.,/()·]/g)?.length ?? 0;
    x += 34 + (name.length - narrow) * LETTER + narrow * NARROW_LETTER + 22;
    const mark =
      style === "marked" ? `<circle class="mark c${color}" cx="${at + 13}" cy="80" r="3.6"/>` : "";
    return `<line class="line c${color} ${style}" x1="${at}" x2="${at + 26}" y1="80" y2="80"/>${mark}<text class="label" x="${at + 34}" y="84">${escaped(name)}</text>`;
  });
}

function style(): string {
  const colors = (all: readonly string[]): string =>
    all
      .map((color, index) => `.line.c${index}{stroke:${color}}.mark.c${index}{fill:${color}}`)
      .join("");
  const base =
    "text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}" +
    ".title{font-size:17px;font-weight:600}.tick{font-size:12px;font-variant-numeric:tabular-nums}" +
    ".line{fill:none;stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}" +
    ".plain{stroke-width:1.4}.dashed{stroke-width:1.6;stroke-dasharray:6 5}";
  const inks = (paper: string, ink: string, quiet: string, axis: string, grid: string): string =>
    `.paper{fill:${paper}}.title,.label{fill:${ink}}.quiet,.tick{fill:${quiet}}` +
    `.axis{stroke:${axis}}.grid{stroke:${grid}}.mark{stroke:${paper};stroke-width:1}`;
  const light = inks("#ffffff", "#14181d", "#4b5560", "#8a949e", "#e6e9ed") + colors(LIGHT);
  const dark = inks("#12161b", "#eef1f4", "#aab4bf", "#67717c", "#272d34") + colors(DARK);
  return `<style>${base}${light}@media (prefers-color-scheme:dark){${dark}}</style>`;
}

function round(value: number): number {
  return Number(value.toFixed(1));
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
