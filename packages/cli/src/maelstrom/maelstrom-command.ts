/** `tidegate maelstrom`: a participant of Maelstrom's tests of counters, over stdin and stdout. */

import { type AnyCommand, anyCommand } from "../command.ts";
import { MaelstromReplica } from "./maelstrom-replica.ts";

export const maelstromCommand: AnyCommand = anyCommand({
  name: "maelstrom",
  about: "the counters, behind the protocol of Maelstrom's workloads",
  more:
    "Speaks init, add and read over stdin and stdout, for the workloads g-counter and pn-counter of " +
    "Maelstrom, which runs one such program for each participant, and loses and delays their " +
    "messages.",
  examples: [],
  flags: {},
  run: async (_given, terminal) => {
    const replica = new MaelstromReplica((line) => terminal.out(`${line}\n`));
    for await (const line of terminal.lines()) replica.take(line);
    await replica.end();
  },
});
