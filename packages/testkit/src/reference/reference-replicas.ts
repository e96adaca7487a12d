/** The replicas that one replica knows: which are alive, and the offsets of their clocks. */

interface Known {
  isAlive: boolean;
}

export class ReferenceReplicas {
  readonly self: string;
  readonly #known = new Map<string, Known>();
  /** Outlives a drop, because windows that the replica opened for others continue. */
  readonly #offsets = new Map<string, number>();

  constructor(self: string) {
    this.self = self;
  }

  /** Adds a replica, which is alive until a test changes that. */
  hear(replica: string, offsetMs: number): void {
    if (replica === this.self) return;
    this.#offsets.set(replica, offsetMs);
    if (this.#known.has(replica)) return;
    this.#known.set(replica, { isAlive: true });
  }

  /** Converts a time on its clock to this replica's clock. */
  offsetMs(replica: string): number {
    return this.#offsets.get(replica) ?? 0;
  }

  setAlive(replica: string, isAlive: boolean): void {
    const known = this.#known.get(replica);
    if (known !== undefined) known.isAlive = isAlive;
  }

  isAlive(replica: string): boolean {
    return replica === this.self || this.#known.get(replica)?.isAlive === true;
  }

  drop(replica: string): void {
    this.#known.delete(replica);
  }
}
