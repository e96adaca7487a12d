/**
 * The rows of docs/reference/fastify-differences.md: what each explains.
 */

import { isOfKeeping, type Row } from "@tidegate/testkit/http";
import { PECULIARITIES, type Peculiarity, type Scenario } from "./scenario.ts";

/** What is an error here, and nothing else about it may differ. */
const ERRORS: readonly Peculiarity[] = ["widths"];

/** What differs where text counts as a number in both. */
const AS_TEXT = ["body", "content-length"];

export const ROWS: readonly Row<Scenario>[] = [
  { id: "no-store", explains: isOfKeeping },
  ...PECULIARITIES.filter((peculiarity) => peculiarity !== "none").map(
    (id): Row<Scenario> => ({
      id,
      explains: (difference, pair) =>
        pair.scenario.peculiarity === id &&
        (!ERRORS.includes(id) || pair.ours.status === 500) &&
        (id !== "numeric-text" || AS_TEXT.includes(difference.what)) &&
        !isOfKeeping(difference, pair),
    }),
  ),
];
