/**
 * Times several lanes against each other, fairly.
 *
 * In each round every lane runs once over the same keys. Each second round is the one before it in reverse:
 *
 *     round 0   A B C D
 *     round 1   D C B A
 *     round 2   B C D A
 *     round 3   A D C B
 *
 * So a slow minute of the machine affects all lanes, and so does the turn after a neighbour that leaves
 * the caches cold. Of two lanes, each is first in every second round. One lane runs at a time, and the others wait.
 *
 * All lanes prepare before any is timed, collecting their rubbish among other things. A full
 * collection goes on in the background after it returns, and with a gigabyte to sweep it doubles
 * every time measured meanwhile; hence the pause after it.
 */

/** One thing to be timed, wherever it runs. */
export interface Lane {
  readonly title: string;
  /** Gets ready for the next round; resolves to how many different keys its rounds asked for. */
  prepare(): Promise<number>;
  /** Runs the round prepared last; resolves to nanoseconds per request. */
  time(): Promise<number>;
}

export interface Timings {
  /** Nanoseconds per request of every round, lane by lane, in the order the lanes were given. */
  readonly samples: readonly (readonly number[])[];
  /** How many different keys all rounds asked for. */
  readonly distinctKeys: number;
}

export async function timeRounds(
  lanes: readonly Lane[],
  rounds: number,
  pause: (round: number) => Promise<void>,
): Promise<Timings> {
  const samples = lanes.map((): number[] => []);
  let distinctKeys = 0;
  for (let round = 0; round < rounds; round++) {
    const asked = await Promise.all(lanes.map((lane) => lane.prepare()));
    distinctKeys = asked[0] ?? 0;
    const strayed = asked.findIndex((distinct) => distinct !== distinctKeys);
    if (strayed >= 0) throw new Error(`${lanes[strayed]!.title} does not run over the same keys`);
    await pause(round);
    for (const lane of turnsOf(round, lanes.length)) {
      samples[lane]!.push(await lanes[lane]!.time());
    }
  }
  return { samples, distinctKeys };
}

/** The lanes of a round, in their order. */
function turnsOf(round: number, lanes: number): number[] {
  const first = Math.floor(round / 2);
  const turns = Array.from({ length: lanes }, (_, turn) => (first + turn) % lanes);
  return round % 2 === 0 ? turns : turns.toReversed();
}
