/**
 * The last frames of every replica as they came in, to be passed on to whoever cannot hear it.
 *
 * They are passed on byte for byte, so what their sender sealed stays sealed. Old ones make room for
 * new ones, whoever sent them.
 */

const { compare } = Buffer;

const FRAMES_MAX = 512;
const BYTES_MAX = 4 * 1024 * 1024;

interface Kept {
  readonly from: string;
  readonly number: number;
  readonly frame: Uint8Array;
}

export class RecentFrames {
  #kept: Kept[] = [];
  /** The same by who sent them, as there is often something to find of one. */
  readonly #of = new Map<string, Kept[]>();
  #bytes = 0;

  /** Keeps a frame, which belongs to nobody else, unless it is kept already. */
  keep(from: string, number: number, frame: Uint8Array): void {
    const own = this.#of.get(from) ?? [];
    for (const kept of own) {
      if (kept.frame.length === frame.length && compare(kept.frame, frame) === 0) return;
    }
    // Numbers only rise, of one that was forgotten in between too: so the last frame is the newest.
    const kept = { from, number: Math.max(number, own.at(-1)?.number ?? 0), frame };
    this.#kept.push(kept);
    this.#enter(kept);
    this.#bytes += frame.length;
    if (this.#kept.length <= FRAMES_MAX && this.#bytes <= BYTES_MAX) return;
    // Half of them at once, so that making room is rare.
    const given = this.#kept.splice(0, Math.ceil(this.#kept.length / 2));
    for (const { frame: old } of given) this.#bytes -= old.length;
    this.#of.clear();
    for (const left of this.#kept) this.#enter(left);
  }

  /** The last of what `after` finds, at once. */
  newest(from: string, since: number, last: boolean): Uint8Array | undefined {
    const kept = this.#of.get(from)?.at(-1);
    return kept !== undefined && (last || kept.number > since) ? kept.frame : undefined;
  }

  /**
   * What is kept of a replica's frames after number `since`, the oldest first.
   *
   * @param last whether its last one is wanted in any case, which shows that it still speaks
   */
  after(from: string, since: number, last: boolean): Uint8Array[] {
    const kept = this.#of.get(from) ?? [];
    return kept
      .filter(({ number }, index) => number > since || (last && index === kept.length - 1))
      .map(({ frame }) => frame);
  }

  forget(): void {
    this.#kept = [];
    this.#of.clear();
    this.#bytes = 0;
  }

  #enter(kept: Kept): void {
    const own = this.#of.get(kept.from);
    if (own === undefined) this.#of.set(kept.from, [kept]);
    else own.push(kept);
  }
}
