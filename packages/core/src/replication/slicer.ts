/**
 * Runs long work a few milliseconds at a time, one piece of work after the other.
 */

const SLICE_MS = 3;

export type Slices = Generator<undefined, void>;

export class Slicer {
  #queue: { readonly slices: Slices; readonly done: () => void }[] = [];
  #next: ReturnType<typeof setImmediate> | undefined;

  get isIdle(): boolean {
    return this.#queue.length === 0;
  }

  /** Begins at once if nothing else is going on. */
  run(slices: Slices, done: () => void = () => {}): void {
    this.#queue.push({ slices, done });
    if (this.#queue.length === 1) this.#goOn();
  }

  /** Does all that is left, however long it takes. */
  finish(): void {
    clearImmediate(this.#next);
    this.#goOn(Number.POSITIVE_INFINITY);
  }

  #goOn(sliceMs: number = SLICE_MS): void {
    const start = performance.now();
    for (let work = this.#queue[0]; work !== undefined; work = this.#queue[0]) {
      while (work.slices.next().done !== true) {
        if (performance.now() - start < sliceMs) continue;
        this.#next = setImmediate(() => this.#goOn());
        return;
      }
      this.#queue.shift();
      work.done();
    }
  }
}
