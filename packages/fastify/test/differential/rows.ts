/**
 * The rows of docs/reference/fastify-differences.md: what each explains.
 */

import { isOfKeeping, type Row } from "@tidegate/testkit/http";
import { PECULIARITIES, type Scenario } from "./scenario.ts";

export const ROWS: readonly Row<Scenario>[] = [
  { id: "no-store", explains: isOfKeeping },
  ...PECULIARITIES.filter((peculiarity) => peculiarity !== "none").map(
    (id): Row<Scenario> => ({
      id,
      explains: (difference, pair) =>
        pair.scenario.peculiarity === id && !isOfKeeping(difference, pair),
    }),
  ),
];
