/**
 * Looks whether a permit that another replica has released, as far as a replica knew, is held again
 * there. It looks into stores, as totals of several holders hide which of them holds.
 */

import type { Component } from "../../../core/src/crdt/component.ts";
import type { Check, History, Member } from "../../src/index.ts";
import { replicaOf } from "./replica-of.ts";

type Counts = Pick<Component, "generation" | "hits" | "refunds">;

/** The time between two looks: to look into all stores takes long. */
const LOOK_MS = 50;

export class PermitCheck implements Check {
  readonly name: string = "no permit that was released is held again";
  /** What each replica knew last, by holder and key. */
  readonly #known = new WeakMap<Member, Map<string, Counts>>();
  #nowMs: number = Number.NEGATIVE_INFINITY;
  #found: string | undefined;

  look(history: History): string | undefined {
    if (history.nowMs < this.#nowMs + LOOK_MS) return undefined;
    this.#nowMs = history.nowMs;
    this.#found = undefined;
    for (const member of history.replicated()) this.#lookAt(member);
    return this.#found;
  }

  #lookAt(viewer: Member): void {
    const known = this.#known.get(viewer) ?? new Map<string, Counts>();
    this.#known.set(viewer, known);
    const replica = replicaOf(viewer);
    for (const { store } of replica.replicatedLimiters.all()) {
      for (const { id, index } of replica.members.all()) {
        for (let record = 1; record < store.records.end; record++) {
          store.delta.emitRemote(record, index, 0, ({ low, high, generation, hits, refunds }) => {
            const name = `${id} ${low}:${high}`;
            const before = known.get(name);
            const now = { generation, hits, refunds };
            if (before !== undefined && hits > refunds && isOlder(now, before)) {
              this.#found = `${hits - refunds} permits of ${id}, of which ${hits - before.refunds} were left`;
            }
            known.set(name, now);
          });
        }
      }
    }
  }
}

function isOlder(now: Counts, before: Counts): boolean {
  if (now.generation !== before.generation) return now.generation < before.generation;
  return now.hits < before.hits || now.refunds < before.refunds;
}
