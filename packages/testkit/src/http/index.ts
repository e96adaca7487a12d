/**
 * The contract of middleware for web frameworks: the guarantees of docs/reference/http.md as cases
 * that every adapter passes on a listening server.
 */

import type { HttpCase } from "./contract-case.ts";
import { END_CASES } from "./end-cases.ts";
import { FIELD_CASES } from "./field-cases.ts";
import { HANG_UP_CASES } from "./hang-up-cases.ts";
import { KEY_CASES } from "./key-cases.ts";
import { LOGIN_CASES } from "./login-cases.ts";
import { OWN_KEY_CASES } from "./own-key-cases.ts";
import { REFUSAL_CASES } from "./refusal-cases.ts";

export type { HttpCase } from "./contract-case.ts";
export {
  type Answered,
  type Difference,
  explainAll,
  isOfKeeping,
  type Pair,
  type Row,
  rowsOf,
} from "./differential.ts";
export {
  type Served,
  Site,
  type SiteAnswer,
  type SiteOptions,
  type SitePlan,
  visit,
  type WebFramework,
} from "./site.ts";

export const HTTP_CONTRACT: readonly HttpCase[] = [
  ...FIELD_CASES,
  ...REFUSAL_CASES,
  ...KEY_CASES,
  ...OWN_KEY_CASES,
  ...LOGIN_CASES,
  ...END_CASES,
  ...HANG_UP_CASES,
];
