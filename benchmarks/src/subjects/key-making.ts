/**
 * No limiter at all: makes the keys and looks at one character of each.
 *
 * This is what all subjects pay before they begin. Taking it away from a subject's time leaves what
 * the subject itself costs.
 */

import type { Keys } from "../measure/keys.ts";
import type { Subject } from "./subject.ts";

class KeyMaking implements Subject {
  run(keys: Keys): number {
    let startingWithOne = 0;
    for (let position = 0; position < keys.length; position++) {
      if (keys.key(position).charCodeAt(0) === 0x31) startingWithOne++;
    }
    return startingWithOne;
  }

  keysHeld(): undefined {
    return undefined;
  }

  close(): void {}
}

export function openKeyMaking(): Subject {
  return new KeyMaking();
}
