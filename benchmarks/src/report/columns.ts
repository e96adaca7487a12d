/**
 * Text in columns: words flush left, figures flush right.
 */

export type Side = "left" | "right";

const GAP = "  ";

/**
 * The rows under their headings, every column as wide as its widest cell. The first column is flush
 * left and the others flush right, unless `sides` says otherwise.
 */
export function columns(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  sides: readonly Side[] = ["left"],
): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length)),
  );
  return lines
    .map((line) =>
      widths
        .map((width, column) => {
          const cell = line[column] ?? "";
          return sides[column] === "left" ? cell.padEnd(width) : cell.padStart(width);
        })
        .join(GAP)
        .trimEnd(),
    )
    .join("\n");
}
