/**
 * Has the code under test write a section of a frame that is given in plain words, as the published
 * vectors say it.
 */

import { blankComponent } from "../../src/crdt/component.ts";
import { MARK_KINDS } from "../../src/crdt/mark.ts";
import { writeCheckpoints } from "../../src/wire/checkpoint-section.ts";
import { ComponentBatch } from "../../src/wire/component-batch.ts";
import { PERIOD_ENCODINGS, writeComponents } from "../../src/wire/component-section.ts";
import {
  writeEcho,
  writeFormer,
  writeHeartbeat,
  writeLimiters,
  writeReplicaReport,
  writeReplyPart,
  writeSyncRequest,
} from "../../src/wire/control-sections.ts";
import type { FrameWriter, Halves } from "../../src/wire/frame.ts";
import { writeNotes } from "../../src/wire/note-section.ts";

export interface Entry {
  readonly key: string;
  readonly opener?: string;
  readonly openedAt?: number;
  readonly period?: number;
  readonly hits: number;
  readonly refunds: number;
  readonly refusals: number;
  readonly generation: number;
  readonly reset: number;
}

export interface Opener {
  readonly opener: string;
  readonly base: number;
  readonly agoMs: number;
}

/** A section: its type, and what the page on the wire format says that it holds. */
export type Section = { readonly type: number } & Readonly<Record<string, unknown>>;

export function halvesOf(digits: string): Halves {
  const bytes = Buffer.from(digits, "hex");
  return { low: bytes.readInt32LE(0), high: bytes.readInt32LE(4) };
}

export function digitsOf({ low, high }: Halves): string {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32LE(low, 0);
  bytes.writeInt32LE(high, 4);
  return bytes.toString("hex");
}

// biome-ignore lint/suspicious/noExplicitAny: what a section holds depends on its type.
export function writeSection(writer: FrameWriter, section: any): void {
  if (section.type === 1) writeCounts(writer, section);
  if (section.type === 2) {
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    const notes = section.notes.map(({ key, reset, resetOfMarks, marks }: any) => ({
      ...{ ...halvesOf(key), reset, markReset: resetOfMarks },
      marks: MARK_KINDS.map((kind) => {
        const found = marks.find(({ mark }: { mark: string }) => mark === kind);
        if (found === undefined) return undefined;
        const { reset, until, limit } = found;
        return { reset, untilMs: until, limit: limit ?? Number.POSITIVE_INFINITY };
      }),
    }));
    writeNotes(writer, halvesOf(section.limiter), section.resetOfAll, notes, 0);
  }
  if (section.type === 3) {
    const { limiter, policy, levels } = section;
    const checkpoints = levels.map(({ key, ...level }: { key: string }) => ({
      ...halvesOf(key),
      ...level,
    }));
    writeCheckpoints(writer, halvesOf(limiter), policy, checkpoints, 0);
  }
  if (section.type === 4) {
    const behind = section.behind.map(
      ({ replica, number }: { replica: string; number: number }) => ({
        ...halvesOf(replica),
        number,
      }),
    );
    writeHeartbeat(writer, { ...section, behind });
  }
  if (section.type === 5) writeSyncRequest(writer, { ...section, ...halvesOf(section.replica) });
  if (section.type === 6) writeReplyPart(writer, section);
  if (section.type === 7) {
    const { replica, clock: clockMs, silent: silentMs } = section;
    writeReplicaReport(writer, { ...section, ...halvesOf(replica), clockMs, silentMs });
  }
  if (section.type === 9) {
    writeFormer(writer, { ...halvesOf(section.replica), upTo: section.upTo });
  }
  if (section.type === 10) {
    const { replica, clock: clockMs, held: heldMs } = section;
    writeEcho(writer, { ...halvesOf(replica), clockMs, heldMs });
  }
  if (section.type !== 8) return;
  writeLimiters(
    writer,
    section.limiters.map(({ name, identity, limits }: Record<string, string>) => ({
      ...{ name: halvesOf(name!), identity: halvesOf(identity!), limits },
    })),
  );
}

function writeCounts(
  writer: FrameWriter,
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  { limiter, of, policy, encoding, openers = [], entries }: any,
): void {
  const kind = PERIOD_ENCODINGS[encoding as 0 | 1 | 2];
  const head = { limiter: halvesOf(limiter), of: halvesOf(of), policy, encoding: kind };
  const batch = new ComponentBatch();
  for (const { key, opener, openedAt, period, ...counts } of entries as Entry[]) {
    const index = openers.findIndex((each: Opener) => each.opener === opener);
    const where = { opener: Math.max(0, index), period: openedAt ?? period ?? 0 };
    batch.add({ ...blankComponent(), policy, ...halvesOf(key), ...counts, ...where });
  }
  batch.sort();
  writeComponents(writer, head, batch, 0, (index) => {
    const { opener, agoMs } = openers[index];
    return { ...halvesOf(opener), agoMs };
  });
}
