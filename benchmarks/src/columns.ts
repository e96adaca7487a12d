/**
 * Text in columns: the first one flush left, the others flush right.
 */

const GAP = "  ";

/** The rows under their headings, every column as wide as its widest cell. */
export function columns(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length)),
  );
  return lines
    .map((line) =>
      widths
        .map((width, column) => {
          const cell = line[column] ?? "";
          return column === 0 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join(GAP)
        .trimEnd(),
    )
    .join("\n");
}
