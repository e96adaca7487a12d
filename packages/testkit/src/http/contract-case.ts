/** A test of one or several guarantees of docs/reference/http.md, for any framework. */

import type { WebFramework } from "./site.ts";

export interface HttpCase {
  /** The ids of the guarantees. */
  readonly ids: readonly string[];
  readonly title: string;
  run(framework: WebFramework): Promise<void>;
}
