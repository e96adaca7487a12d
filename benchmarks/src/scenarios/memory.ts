/**
 * What a key costs in memory: one subject in a process of its own, filled and weighed.
 *
 * Keys come as fresh strings. A subject that keeps them pays for them, as it would in a server. One
 * is filled and closed before, so that what code and compiler need is not taken for a key's. For the
 * process as a whole that does not work, since pages that become free stay with it.
 */

import { resourceUsage } from "node:process";
import { memoryInUse } from "../measure/memory-use.ts";
import { Tape } from "../measure/tape.ts";
import { loadSubject, type SubjectName } from "../subjects/registry.ts";
import { type OpenSubject, SLIDING_SLOTS, type Subject } from "../subjects/subject.ts";

export interface MemoryParameters {
  readonly subject: SubjectName;
  readonly keys: number;
}

export interface MemoryRecord {
  readonly kind: "memory";
  readonly subject: SubjectName;
  readonly keys: number;
  readonly managedBytesPerKey: number;
  readonly residentBytesPerKey: number;
  /** All that the process has in memory when full. */
  readonly residentBytes: number;
  /** The most it ever had, while its tables grew included. */
  readonly residentBytesPeak: number;
}

const LIMIT = 1_000_000_000;
const FILL_KEYS = 10_000;
const REHEARSAL_KEYS = 100_000;

export async function measureMemory({
  subject: name,
  keys,
}: MemoryParameters): Promise<MemoryRecord[]> {
  const open = await loadSubject(name);
  const tape = new Tape(FILL_KEYS);
  const atStart = memoryInUse();
  await rehearse(open, tape);
  const before = memoryInUse();

  const subject = open({ limit: LIMIT, keysMax: keysMaxFor(keys) });
  await fill(subject, keys, tape);
  const held = subject.keysHeld();
  if (held !== undefined && held !== keys) throw new Error(`${name} holds ${held} of ${keys} keys`);

  const after = memoryInUse();
  const residentBytesPeak = resourceUsage().maxRSS * 1_024;
  subject.close();
  return [
    {
      kind: "memory",
      subject: name,
      keys,
      managedBytesPerKey: (after.managedBytes - before.managedBytes) / keys,
      residentBytesPerKey: (after.residentBytes - atStart.residentBytes) / keys,
      residentBytes: after.residentBytes,
      residentBytesPeak,
    },
  ];
}

/** Leaves nothing but compiled code behind. */
async function rehearse(open: OpenSubject, tape: Tape): Promise<void> {
  const subject = open({ limit: LIMIT, keysMax: keysMaxFor(REHEARSAL_KEYS) });
  await fill(subject, REHEARSAL_KEYS, tape);
  subject.close();
}

/** Asks for every key once, or once in each slot. */
async function fill(subject: Subject, keys: number, tape: Tape): Promise<void> {
  const passes = subject.nextSlot === undefined ? 1 : SLIDING_SLOTS;
  for (let pass = 0; pass < passes; pass++) {
    if (pass > 0) subject.nextSlot?.();
    for (let first = 0; first < keys; first += tape.length) {
      for (let position = 0; position < tape.length; position++) {
        tape.record(position, Math.min(first + position, keys - 1));
      }
      await subject.run(tape);
    }
  }
}

function keysMaxFor(keys: number): number {
  return Math.ceil(keys * 1.2);
}
