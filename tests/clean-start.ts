/**
 * Lets each test file begin as in a process of its own, though others have run in its process before.
 *
 * What a file may leave is done away with here: the modules of this repository are loaded anew, the state
 * that all copies of them share is made anew, and the one timer in it ends. A clock, a timer or a subscriber
 * that stays is the file's mistake. That file fails then, rather than one that comes after it and waits for
 * a timer that never ends. docs/decisions/shared-test-processes.md says why files share processes.
 *
 * Nothing of this repository may be imported here, since this comes before it.
 */

import { channel } from "node:diagnostics_channel";
import { afterAll, vi } from "vitest";

const SHARED_STATE = "tidegate.state@";
const CHANNELS = ["tidegate:decision", "tidegate:pressure", "tidegate:cluster"];

/** What the parts of the shared state have that goes on by itself: the pulse, and long work. */
interface Running {
  readonly timer?: NodeJS.Timeout;
  readonly beats?: Set<unknown>;
  readonly waiting?: Set<unknown>;
}

type Holder = Record<string, unknown>;

/** What Node gave this process, beside the object that has it. */
const OWN = Symbol.for("tidegate.tests.own");

const shared = globalThis as { [OWN]?: [Holder, Holder][] };
shared[OWN] ??= [
  ownOf(globalThis, ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"]),
  ownOf(globalThis, ["clearTimeout", "clearInterval", "clearImmediate", "Date", "performance"]),
  ownOf(performance, ["now"]),
  ownOf(Date, ["now"]),
  ownOf(Math, ["random"]),
  ownOf(process, ["hrtime", "nextTick", "emitWarning"]),
];
const own = shared[OWN];

for (const name of Object.getOwnPropertySymbols(globalThis)) {
  if (!name.description?.startsWith(SHARED_STATE)) continue;
  end(Reflect.get(globalThis, name));
  Reflect.deleteProperty(globalThis, name);
}
vi.resetModules();

afterAll(() => {
  // Vitest restores mocks by itself, though after this. What was put over a fake timer would bring that back.
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  const left = [...putBack(), ...CHANNELS.filter((name) => channel(name).hasSubscribers)];
  if (left.length === 0) return;
  throw new Error(
    `This file ends with something of its own in the place of, or subscribed to: ${left.join(", ")}. ` +
      "A spy on what is fake is restored before that: vi.restoreAllMocks() comes before vi.useRealTimers().",
  );
});

function ownOf(holder: object, names: readonly string[]): [Holder, Holder] {
  const found = names.map((name) => [name, Reflect.get(holder, name)]);
  return [holder as Holder, Object.fromEntries(found)];
}

/** Without this, the pulse of limiters that were not closed would beat on by the clock of the next test. */
function end(state: ReadonlyMap<string, Running>): void {
  for (const { timer, beats, waiting } of state.values()) {
    clearTimeout(timer);
    beats?.clear();
    waiting?.clear();
  }
}

/** Puts everything back that is not Node's; returns the names of what was not. */
function putBack(): string[] {
  return own.flatMap(([holder, kept]) => {
    const replaced = Object.keys(kept).filter((name) => holder[name] !== kept[name]);
    for (const name of replaced) holder[name] = kept[name];
    return replaced;
  });
}
