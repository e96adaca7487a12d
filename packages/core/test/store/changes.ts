/** What a store publishes, at once and of all policies. */

import type { Component } from "../../src/crdt/component.ts";
import type { Note } from "../../src/store/marks/notes.ts";
import type { Store } from "../../src/store/store.ts";

/** Shows own components, and all known resets and marks, of keys that changed after a frame. */
export function showChanges(
  store: Store,
  frame: number,
  component: (component: Readonly<Component>) => void,
  note: (note: Readonly<Note>) => void = () => {},
): void {
  for (const policy of store.shapes.keys()) {
    Array.from(store.delta.changed(frame, policy, component));
  }
  for (const changed of store.notes.changedSince(frame)) note(changed);
}
