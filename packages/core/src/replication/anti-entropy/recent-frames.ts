/**
 * The last frames of every replica as they came in, to be passed on to whoever cannot hear it.
 *
 * They are passed on byte for byte, so what their sender sealed stays sealed. Old ones make room for
 * new ones, whoever sent them.
 */

const { compare } = Buffer;

const FRAMES_MAX = 512;
const BYTES_MAX = 4 * 1024 * 1024;

/** Whose frame it is, by the latest that has been heard of it. */
export interface Speaker {
  readonly id: string;
  readonly clockMs: number;
  readonly sent: number;
}

interface Kept {
  readonly from: string;
  readonly atMs: number;
  readonly number: number;
  readonly frame: Uint8Array;
}

export class RecentFrames {
  #kept: Kept[] = [];
  /** The same by who sent them, as there is often something to find of one. */
  readonly #of = new Map<string, Kept[]>();
  #bytes = 0;

  /** Keeps the latest frame of somebody, which belongs to nobody else, unless it is kept already. */
  keep({ id: from, clockMs: atMs, sent }: Speaker, frame: Uint8Array): void {
    const own = this.#of.get(from) ?? [];
    // The same frame was sent in the same millisecond.
    for (let at = own.length - 1; own[at]?.atMs === atMs; at--) {
      const kept = own[at]!.frame;
      if (kept.length === frame.length && compare(kept, frame) === 0) return;
    }
    // Numbers only rise, of one that was forgotten in between too: so the last frame is the newest.
    const kept = { from, atMs, number: Math.max(sent, own.at(-1)?.number ?? 0), frame };
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
