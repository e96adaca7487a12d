/**
 * Compares the responses of two limiters, and matches each difference with a row of a documentation
 * page.
 *
 * Every difference must have exactly one reason, and every reason must occur.
 */

/** A response as it arrived. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface Difference {
  /** `status`, `body`, or the name of a header in lower case. */
  readonly what: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

/** One request of a scenario, with both responses. */
export interface Pair<Scenario> {
  readonly scenario: Scenario;
  readonly request: object;
  readonly theirs: Answered;
  readonly ours: Answered;
}

export interface Row<Scenario> {
  readonly id: string;
  explains(difference: Difference, pair: Pair<Scenario>): boolean;
}

export interface Explained {
  /** The differences without exactly one reason, with the requests that led to them. */
  readonly unexplained: readonly string[];
  /** The rows that explained a difference, in alphabetical order. */
  readonly rows: readonly string[];
  readonly responses: number;
}

/** Headers that depend on the connection and the server's clock. */
const OF_THE_SERVER = ["connection", "date", "keep-alive"];

/** Headers that would let a refused client cache a response. */
const OF_KEEPING = ["cache-control", "etag", "expires", "last-modified"];

export function differencesOf({
  theirs,
  ours,
}: Pick<Pair<unknown>, "theirs" | "ours">): Difference[] {
  const found: Difference[] = [];
  const compare = (what: string, their: unknown, our: unknown): void => {
    if (JSON.stringify(their) === JSON.stringify(our)) return;
    found.push({ what, theirs: their, ours: our });
  };
  compare("status", theirs.status, ours.status);
  compare("body", theirs.text, ours.text);
  const names = new Set([...Object.keys(theirs.headers), ...Object.keys(ours.headers)]);
  for (const name of OF_THE_SERVER) names.delete(name);
  // Headers that follow from the body are not reported again.
  if (theirs.text !== ours.text) names.delete("content-length");
  for (const name of names) compare(name, theirs.headers[name], ours.headers[name]);
  return found;
}

/** Sends scenarios to both limiters and finds the reason of each difference. */
export async function explainAll<Scenario>(
  scenarios: readonly Scenario[],
  send: (scenario: Scenario) => Promise<readonly Pair<Scenario>[]>,
  rows: readonly Row<Scenario>[],
): Promise<Explained> {
  const hit = new Set<string>();
  let responses = 0;
  for (const scenario of scenarios) {
    const pairs = await send(scenario);
    for (const [at, pair] of pairs.entries()) {
      responses++;
      const unexplained = differencesOf(pair).filter((difference) => {
        const reasons = rows.filter((row) => row.explains(difference, pair));
        for (const { id } of reasons) hit.add(id);
        return reasons.length !== 1;
      });
      if (unexplained.length === 0) continue;
      const { requests: _requests, ...given } = scenario as { requests?: unknown };
      const sent = pairs.slice(0, at + 1).map(({ request }) => request);
      const lines = [...unexplained, given, ...sent].map((line) => JSON.stringify(line));
      return { unexplained: lines, rows: [...hit].sort(), responses };
    }
  }
  return { unexplained: [], rows: [...hit].sort(), responses };
}

/** Both refuse, and only our response must not be cached. */
export function isOfKeeping(
  { what, ours }: Difference,
  pair: Pick<Pair<unknown>, "theirs" | "ours">,
): boolean {
  const isRefused = pair.ours.headers["cache-control"] === "no-store";
  if (!isRefused || pair.theirs.status !== pair.ours.status || !OF_KEEPING.includes(what)) {
    return false;
  }
  return what === "cache-control" ? ours === "no-store" : ours === undefined;
}

/** The ids in the first table of a page, in alphabetical order. */
export function rowsOf(page: string): string[] {
  const [told = ""] = page.split("\nThese do not show");
  return Array.from(told.matchAll(/^\| `([\w-]+)` \|/gm), ([, id = ""]) => id).sort();
}
