/**
 * Maps former replica ids to the replicas that now use another id.
 *
 * A replica that changes its id keeps its permits and reports them under the new id. For some
 * seconds other replicas believe both ids to be alive. So permits reported under the new id replace
 * those that were reported under the former id, up to its last frame. Later frames under the former
 * id are from another process.
 */

/** An id that its replica no longer uses. */
export interface FormerId {
  /** The replica index of that id. */
  readonly replica: number;
  /** The last frame that was sent under the id. */
  readonly upTo: number;
}

/** The former id of this process, as frames state it. */
export interface OwnFormer {
  readonly low: number;
  readonly high: number;
  readonly upTo: number;
  /** Until when frames state it, on the raw clock. */
  readonly untilMs: number;
}

export class FormerIds {
  /** The former id of this process. */
  own: OwnFormer | undefined;

  readonly #formers = new Map<number, FormerId>();

  /** Whether any replica is known to have changed its id. */
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

  /**
   * Forgets a replica index that is no longer referenced and may be assigned to another replica.
   */
  forget(replica: number): void {
    for (const [later, former] of this.#formers) {
      if (later === replica || former.replica === replica) this.#formers.delete(later);
    }
  }
}
