/** All golden examples in one list. */

import type { GoldenExample } from "./golden-example.ts";
import { MINUTE_EXAMPLES } from "./minute.ts";
import { QUEUE_EXAMPLES } from "./queue.ts";
import { SLIDING_EXAMPLES } from "./sliding.ts";
import { TOKEN_BUCKET_EXAMPLES } from "./token-bucket.ts";
import { WEIGHT_EXAMPLES } from "./weights.ts";

/** Worked out by hand, for references and limiters alike. */
export const GOLDEN_EXAMPLES: readonly GoldenExample[] = [
  ...TOKEN_BUCKET_EXAMPLES,
  ...MINUTE_EXAMPLES,
  ...SLIDING_EXAMPLES,
  ...WEIGHT_EXAMPLES,
  ...QUEUE_EXAMPLES,
];
