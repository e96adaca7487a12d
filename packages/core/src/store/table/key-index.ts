/**
 * Finds the record of a fingerprint: a directory of open-addressed segments of bounded size.
 *
 * A full segment splits in two, so growth touches one segment at a time and never copies the table.
 * A slot is one word: a tag of eight hash bits above the record's number. Only records with the
 * same tag are compared. Slot positions mix in a seed of this process, so keys that collide in one
 * process do not in another.
 */

import type { RecordPool } from "./record-pool.ts";

const SEGMENT_SLOTS_MIN = 64;
const SEGMENT_SLOTS_MAX = 16384;
const DEPTH_MAX = 20;
const RECORD_ID_BITS = 24;
const RECORD_ID_MASK = 0xff_ffff;
const RECENT_MASK = 0x3ff;
/** The most keys that are located at once. */
export const LOCATED_MAX = 64;

// Each segment has two numbers behind its slots.
const SEGMENT_EXTRA = 2;
const USED = 0;
const DEPTH = 1;

/** Words of a record that hold its fingerprint. */
export const FINGERPRINT_LOW = 0;
export const FINGERPRINT_HIGH = 1;

export class KeyIndex {
  readonly #records: RecordPool;
  readonly #seed: number;
  #directory: Int32Array[];
  #depth = 0;
  /**
   * A cache of recently found records, indexed by the fingerprint. An entry has eight bits of the
   * fingerprint above the record's number, so other keys' records are rarely compared.
   */
  readonly #recent = new Int32Array(RECENT_MASK + 1);
  readonly #hashes = new Int32Array(LOCATED_MAX);
  /** Keeps the reads of `locate` from being optimised away. */
  touched = 0;

  /** @param seed any 32 bits, chosen at random once per process */
  constructor(records: RecordPool, seed: number) {
    this.#records = records;
    this.#seed = seed | 0;
    this.#directory = [segmentOf(SEGMENT_SLOTS_MIN, 0)];
  }

  /** Finds and selects the record with this fingerprint; 0 for none. */
  find(low: number, high: number): number {
    const recent = this.#recent[low & RECENT_MASK]!;
    if (recent !== 0 && (recent ^ high) >>> RECORD_ID_BITS === 0) {
      const records = this.#records;
      const id = recent & RECORD_ID_MASK;
      if (records.id !== id) records.take(id);
      const { chunk, start } = records;
      if (chunk[start + FINGERPRINT_LOW] === low && chunk[start + FINGERPRINT_HIGH] === high) {
        return id;
      }
    }
    return this.#search(low, high);
  }

  /**
   * Looks up several fingerprints in steps whose waits for memory overlap; each is then found
   * quickly by `find`. Fills in their records, 0 where the first lookup finds none.
   */
  locate(low: Int32Array, high: Int32Array, ids: Int32Array, count: number): void {
    const records = this.#records;
    const hashes = this.#hashes;
    let touched = 0;
    for (let at = 0; at < count; at++) {
      const hash = this.#hash(low[at]!, high[at]!);
      const segment = this.#segmentFor(hash);
      hashes[at] = hash;
      touched ^= segment[hash & (segment.length - SEGMENT_EXTRA - 1)]!;
    }
    for (let at = 0; at < count; at++) {
      const id = this.#guess(hashes[at]!);
      ids[at] = id;
      if (id !== 0) touched ^= records.word(id, FINGERPRINT_LOW);
    }
    this.touched = touched;
    for (let at = 0; at < count; at++) {
      const id = ids[at]!;
      if (id === 0) continue;
      if (this.#isOf(id, low[at]!, high[at]!)) this.#remember(id, low[at]!, high[at]!);
      else ids[at] = 0;
    }
  }

  /** The first record with the same tag, or 0. */
  #guess(hash: number): number {
    const segment = this.#segmentFor(hash);
    const mask = segment.length - SEGMENT_EXTRA - 1;
    const tag = tagOf(hash);
    for (let position = hash & mask; ; position = (position + 1) & mask) {
      const slot = segment[position]!;
      if (slot === 0 || slot >>> RECORD_ID_BITS === tag) return slot & RECORD_ID_MASK;
    }
  }

  #remember(id: number, low: number, high: number): void {
    this.#recent[low & RECENT_MASK] = (high & ~RECORD_ID_MASK) | id;
  }

  #search(low: number, high: number): number {
    const hash = this.#hash(low, high);
    const segment = this.#segmentFor(hash);
    const mask = segment.length - SEGMENT_EXTRA - 1;
    const tag = tagOf(hash);
    for (let position = hash & mask; ; position = (position + 1) & mask) {
      const slot = segment[position]!;
      if (slot === 0) return 0;
      if (slot >>> RECORD_ID_BITS !== tag) continue;
      const id = slot & RECORD_ID_MASK;
      if (this.#isOf(id, low, high)) {
        this.#remember(id, low, high);
        return id;
      }
    }
  }

  /** Selects a record and returns whether it has this fingerprint. */
  #isOf(id: number, low: number, high: number): boolean {
    const records = this.#records;
    records.take(id);
    const { chunk, start } = records;
    return chunk[start + FINGERPRINT_LOW] === low && chunk[start + FINGERPRINT_HIGH] === high;
  }

  /** Adds a record whose fingerprint words are already written and not yet in the index. */
  insert(id: number): void {
    const hash = this.#hashOfRecord(id);
    for (;;) {
      const segment = this.#segmentFor(hash);
      const slots = segment.length - SEGMENT_EXTRA;
      if (segment[slots + USED]! + 1 <= slots - (slots >>> 2)) {
        place(segment, hash, id);
        return;
      }
      if (slots < SEGMENT_SLOTS_MAX || segment[slots + DEPTH]! >= DEPTH_MAX) {
        this.#enlarge(segment, hash);
      } else {
        this.#split(segment, hash);
      }
    }
  }

  /** Removes a record that is in the index, while its fingerprint can still be read. */
  remove(id: number): void {
    const hash = this.#hashOfRecord(id);
    const segment = this.#segmentFor(hash);
    const slots = segment.length - SEGMENT_EXTRA;
    const mask = slots - 1;
    let hole = hash & mask;
    while ((segment[hole]! & RECORD_ID_MASK) !== id) hole = (hole + 1) & mask;
    segment[slots + USED]!--;
    const recent = this.#records.word(id, FINGERPRINT_LOW) & RECENT_MASK;
    if ((this.#recent[recent]! & RECORD_ID_MASK) === id) this.#recent[recent] = 0;

    // Closes the gap: a later slot moves up unless that would put it before its own start.
    for (let next = (hole + 1) & mask; segment[next] !== 0; next = (next + 1) & mask) {
      const start = this.#hashOfRecord(segment[next]! & RECORD_ID_MASK) & mask;
      if (((next - start) & mask) >= ((next - hole) & mask)) {
        segment[hole] = segment[next]!;
        hole = next;
      }
    }
    segment[hole] = 0;
  }

  /** Forgets everything and frees the memory. */
  clear(): void {
    this.#directory = [segmentOf(SEGMENT_SLOTS_MIN, 0)];
    this.#depth = 0;
    this.#recent.fill(0);
  }

  #hash(low: number, high: number): number {
    let hash = Math.imul(low ^ this.#seed, 0x85eb_ca6b);
    hash ^= hash >>> 15;
    hash = Math.imul(hash ^ high, 0xc2b2_ae35);
    return hash ^ (hash >>> 16);
  }

  #hashOfRecord(id: number): number {
    const records = this.#records;
    return this.#hash(records.word(id, FINGERPRINT_LOW), records.word(id, FINGERPRINT_HIGH));
  }

  /** The top `#depth` bits of a hash index the directory. */
  #segmentFor(hash: number): Int32Array {
    return this.#directory[(hash >>> 1) >>> (31 - this.#depth)]!;
  }

  #enlarge(segment: Int32Array, hash: number): void {
    const slots = segment.length - SEGMENT_EXTRA;
    const larger = segmentOf(slots * 2, segment[slots + DEPTH]!);
    this.#moveAll(segment, () => larger);
    this.#replace(segment, hash, larger, larger);
  }

  #split(segment: Int32Array, hash: number): void {
    const slots = segment.length - SEGMENT_EXTRA;
    const depth = segment[slots + DEPTH]!;
    if (depth === this.#depth) {
      // Only pointers double, a few per thousand keys; segments stay where they are.
      this.#directory = this.#directory.flatMap((shared) => [shared, shared]);
      this.#depth++;
    }
    const below = segmentOf(slots, depth + 1);
    const above = segmentOf(slots, depth + 1);
    this.#moveAll(segment, (moved) => (((moved >>> (31 - depth)) & 1) === 0 ? below : above));
    this.#replace(segment, hash, below, above);
  }

  #moveAll(segment: Int32Array, target: (hash: number) => Int32Array): void {
    const slots = segment.length - SEGMENT_EXTRA;
    for (let position = 0; position < slots; position++) {
      const id = segment[position]! & RECORD_ID_MASK;
      if (id === 0) continue;
      const hash = this.#hashOfRecord(id);
      place(target(hash), hash, id);
    }
  }

  /** Points the directory's entries for `segment` at its successors, half at each. */
  #replace(segment: Int32Array, hash: number, below: Int32Array, above: Int32Array): void {
    const depth = segment[segment.length - SEGMENT_EXTRA + DEPTH]!;
    const span = 1 << (this.#depth - depth);
    const index = (hash >>> 1) >>> (31 - this.#depth);
    const first = index - (index % span);
    for (let offset = 0; offset < span; offset++) {
      this.#directory[first + offset] = offset < span / 2 ? below : above;
    }
  }
}

function segmentOf(slots: number, depth: number): Int32Array {
  const segment = new Int32Array(slots + SEGMENT_EXTRA);
  segment[slots + DEPTH] = depth;
  return segment;
}

/** Tags come from bits that neither the directory of a large table nor positions use. */
function tagOf(hash: number): number {
  return (hash >>> 12) & 0xff;
}

function place(segment: Int32Array, hash: number, id: number): void {
  const slots = segment.length - SEGMENT_EXTRA;
  const mask = slots - 1;
  let position = hash & mask;
  while (segment[position] !== 0) position = (position + 1) & mask;
  segment[position] = (tagOf(hash) << 24) | id;
  segment[slots + USED]!++;
}
