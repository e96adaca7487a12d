/**
 * What a key costs in memory within a cluster: a replica in a process of its own, filled with keys
 * and weighed, then told that others counted them too and weighed again.
 *
 * What the others add is the difference, so the two are weighed in one process. Hits that did not
 * arrive would weigh nothing: each component must be news, and each key must know all hits.
 */

import { loadInternals } from "../cluster/internals.ts";
import { ClusterReplica } from "../cluster/replica.ts";
import { type Traffic, type TrafficName, trafficOf } from "../cluster/traffic.ts";
import { memoryInUse } from "../measure/memory-use.ts";
import { Tape } from "../measure/tape.ts";

export interface ClusterMemoryParameters {
  readonly traffic: TrafficName;
  readonly keys: number;
  /** How many other replicas counted each key. */
  readonly others: number;
}

export interface ClusterMemoryRecord {
  readonly kind: "clusterMemory";
  readonly traffic: TrafficName;
  readonly keys: number;
  readonly others: number;
  /** Before another replica had counted the keys. */
  readonly aloneBytesPerKey: number;
  readonly managedBytesPerKey: number;
  /** What each of the others added. */
  readonly addedBytesPerKey: number;
}

const FILL_KEYS = 10_000;
const REHEARSAL_KEYS = 100_000;

export async function measureClusterMemory({
  traffic: name,
  keys,
  others,
}: ClusterMemoryParameters): Promise<ClusterMemoryRecord[]> {
  const internals = await loadInternals();
  const traffic = trafficOf(name, others);
  const open = (count: number): ClusterReplica =>
    new ClusterReplica(internals, traffic.policy, others, Math.ceil(count * 1.2));
  const tape = new Tape(FILL_KEYS);

  // Leaves nothing but compiled code behind.
  const rehearsed = open(REHEARSAL_KEYS);
  countOwn(rehearsed, REHEARSAL_KEYS, tape, traffic);
  joinOthers(rehearsed, REHEARSAL_KEYS, tape, traffic);
  rehearsed.close();
  const before = memoryInUse().managedBytes;

  const replica = open(keys);
  countOwn(replica, keys, tape, traffic);
  const alone = memoryInUse().managedBytes;
  joinOthers(replica, keys, tape, traffic);
  const shared = memoryInUse().managedBytes;
  if (replica.keysHeld !== keys) throw new Error(`it holds ${replica.keysHeld} of ${keys} keys`);
  replica.close();
  return [
    {
      kind: "clusterMemory",
      traffic: name,
      keys,
      others,
      aloneBytesPerKey: (alone - before) / keys,
      managedBytesPerKey: (shared - before) / keys,
      addedBytesPerKey: (shared - alone) / keys / others,
    },
  ];
}

function countOwn(replica: ClusterReplica, keys: number, tape: Tape, { ownMs }: Traffic): void {
  for (const ms of ownMs) {
    replica.advanceTo(ms);
    forEachKey(keys, tape, (key) => {
      if (!replica.check(key)) throw new Error(`a hit of ${key} was refused`);
    });
  }
}

function joinOthers(
  replica: ClusterReplica,
  keys: number,
  tape: Tape,
  { ownMs, heard, heardMs, countsAfter }: Traffic,
): void {
  const hits = ownMs.length + heard.length + (countsAfter ? 1 : 0);
  replica.advanceTo(heardMs);
  forEachKey(keys, tape, (key) => {
    if (!replica.join(key, heard)) throw new Error(`what others counted for ${key} was not joined`);
    if (countsAfter && !replica.check(key)) throw new Error(`a hit of ${key} was refused`);
    const used = replica.used(key);
    if (used !== hits) throw new Error(`of ${hits} hits of ${key} it knows ${used}`);
  });
}

function forEachKey(keys: number, tape: Tape, visit: (key: string) => void): void {
  for (let first = 0; first < keys; first += tape.length) {
    const end = Math.min(tape.length, keys - first);
    for (let position = 0; position < end; position++) tape.record(position, first + position);
    for (let position = 0; position < end; position++) visit(tape.key(position));
  }
}
