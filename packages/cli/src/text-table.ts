/**
 * Tables for terminals: columns aligned to the right, the first to the left, heads over one or two
 * lines.
 */

export interface Column<Row> {
  /** One or two lines. */
  readonly head: string;
  readonly show: (row: Row) => string;
}

const GAP = "  ";

export function textTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const heads = columns.map(({ head }) => head.split("\n"));
  const height = Math.max(...heads.map(({ length }) => length));
  const lines = Array.from({ length: height }, (_, line) =>
    heads.map((head) => head[line - (height - head.length)] ?? ""),
  );
  const body = rows.map((row) => columns.map(({ show }) => show(row)));
  const widths = columns.map((_, column) =>
    Math.max(...[...lines, ...body].map((line) => line[column]!.length)),
  );
  const rule = widths.map((width) => "─".repeat(width));
  return [...lines, rule, ...body]
    .map((line) => line.map((text, column) => padded(text, widths[column]!, column)).join(GAP))
    .map((line) => line.trimEnd())
    .join("\n");
}

function padded(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}
