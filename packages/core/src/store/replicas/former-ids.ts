/**
 * Replicas that have given up their ids, and who goes on for them.
 *
 * What a replica holds it goes on holding under its next id, and says so there. Both are thought alive
 * for some seconds, so whoever hears what the later one holds of a key ends what the former one said of it
 * until it gave up its id. What comes later under that id is another process's.
 */

/** An id that was given up. */
export interface FormerId {
  /** Whose it was, as a replica among others. */
  readonly replica: number;
  /** The last frame that was sent under it. */
  readonly upTo: number;
}

/** The id that this process had before, as frames say it. */
export interface OwnFormer {
  readonly low: number;
  readonly high: number;
  readonly upTo: number;
  /** How long that is of interest, by the raw clock. */
  readonly untilMs: number;
}

export class FormerIds {
  /** The id that this process had before. */
  own: OwnFormer | undefined;

  readonly #formers = new Map<number, FormerId>();

  /** Whether anybody is known to have given up an id. */
  get exist(): boolean {
    return this.#formers.size > 0;
  }

  /** The former id of a replica. */
  of(replica: number): FormerId | undefined {
    return this.#formers.get(replica);
  }

  set(replica: number, former: FormerId): void {
    if (replica !== former.replica) this.#formers.set(replica, former);
  }

  /** Nothing refers to a replica's number any more, which may be another's from now on. */
  forget(replica: number): void {
    for (const [later, former] of this.#formers) {
      if (later === replica || former.replica === replica) this.#formers.delete(later);
    }
  }
}
