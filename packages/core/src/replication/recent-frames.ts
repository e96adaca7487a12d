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
  #bytes = 0;

  /** Keeps a frame, which belongs to nobody else, unless it is kept already. */
  keep(from: string, number: number, frame: Uint8Array): void {
    for (const kept of this.#kept) {
      const isAlike = kept.from === from && kept.frame.length === frame.length;
      if (isAlike && compare(kept.frame, frame) === 0) return;
    }
    this.#kept.push({ from, number, frame });
    this.#bytes += frame.length;
    if (this.#kept.length <= FRAMES_MAX && this.#bytes <= BYTES_MAX) return;
    // Half of them at once, so that making room is rare.
    const given = this.#kept.splice(0, Math.ceil(this.#kept.length / 2));
    for (const { frame: old } of given) this.#bytes -= old.length;
  }

  /**
   * What is kept of a replica's frames after number `since`, the oldest first.
   *
   * @param last whether its last one is wanted in any case, which shows that it still speaks
   */
  after(from: string, since: number, last: boolean): Uint8Array[] {
    const kept = this.#kept.filter((frame) => frame.from === from);
    return kept
      .filter(({ number }, index) => number > since || (last && index === kept.length - 1))
      .map(({ frame }) => frame);
  }

  forget(): void {
    this.#kept = [];
    this.#bytes = 0;
  }
}
