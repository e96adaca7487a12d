/**
 * One promise of docs/reference/http.md, or several that one visit shows, as a test of any framework.
 */

import type { WebFramework } from "./site.ts";

export interface HttpCase {
  /** The ids of the promises. */
  readonly ids: readonly string[];
  readonly title: string;
  run(framework: WebFramework): Promise<void>;
}
