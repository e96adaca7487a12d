/**
 * Stores that never give out a number twice: the reference for those that do.
 *
 * A record that is released is cleared and left where it is, and replicas keep their numbers for good. All
 * else is as ever, so whatever a store says differently has come from a number's former owner.
 */

import { Replicas } from "../../src/store/replicas/replicas.ts";
import { RecordPool } from "../../src/store/table/record-pool.ts";

/** Has no number given out again while something is done. */
export function withoutReuse<Result>(work: () => Result): Result {
  const { release, clear } = RecordPool.prototype;
  const { reclaim } = Replicas.prototype;
  const wipe = (pool: RecordPool, id: number): void => {
    for (let word = 0; word < pool.stride; word++) pool.setCount(id, word, 0);
  };
  RecordPool.prototype.release = function released(id) {
    wipe(this, id);
    this.id = 0;
    this.size--;
  };
  RecordPool.prototype.clear = function cleared() {
    for (let id = 1; id < this.end; id++) wipe(this, id);
    this.id = 0;
    this.size = 0;
  };
  Replicas.prototype.reclaim = () => {};
  try {
    return work();
  } finally {
    Object.assign(RecordPool.prototype, { release, clear });
    Replicas.prototype.reclaim = reclaim;
  }
}
