/**
 * Which replica a hit reaches: how load balancers spread hits, and how attackers choose.
 */

export const BALANCINGS = [
  "even",
  "round-robin",
  "skewed",
  "sticky",
  "loyal",
  "least-informed",
  "next-when-refused",
] as const;

/**
 * - even: any of them alike
 * - round-robin: one after the other
 * - skewed: the second replica gets half of what the first gets, the third a third, and so on
 * - sticky: all hits of one key reach one replica
 * - loyal: the client stays with the replica that last allowed, and after a refusal tries any
 * - least-informed: the client finds the replica that knows of the fewest hits
 * - next-when-refused: the client moves on to the next one when it is refused
 */
export type Balancing = (typeof BALANCINGS)[number];

export interface BalancingOptions {
  readonly replicas: number;
  readonly random: () => number;
  /** How many hits of a key a replica knows of. */
  readonly used: (replica: number, key: string) => number;
}

/** Chooses the replicas of hits. */
export class Balancer {
  readonly #kind: Balancing;
  readonly #options: BalancingOptions;
  readonly #shares: number[] = [];
  readonly #homes = new Map<string, number>();
  #next = 0;

  constructor(kind: Balancing, options: BalancingOptions) {
    this.#kind = kind;
    this.#options = options;
    let sum = 0;
    for (let place = 1; place <= options.replicas; place++) {
      sum += kind === "skewed" ? 1 / place : 1;
      this.#shares.push(sum);
    }
  }

  choose(key: string): number {
    switch (this.#kind) {
      case "even":
      case "skewed":
        return this.#draw();
      case "sticky": {
        const home = this.#homes.get(key) ?? this.#draw();
        this.#homes.set(key, home);
        return home;
      }
      case "least-informed":
        return this.#leastInformed(key);
      case "round-robin":
      case "loyal":
      case "next-when-refused":
        return this.#next;
    }
  }

  /** A hit was decided by the replica that was chosen last for it. */
  decided(replica: number, isAllowed: boolean): void {
    const { replicas } = this.#options;
    if (this.#kind === "loyal") this.#next = isAllowed ? replica : this.#draw();
    else if (this.#kind === "round-robin" || !isAllowed) this.#next = (replica + 1) % replicas;
  }

  #leastInformed(key: string): number {
    const { replicas, used } = this.#options;
    let least = 0;
    let leastUsed = Number.POSITIVE_INFINITY;
    for (let replica = 0; replica < replicas; replica++) {
      const known = used(replica, key);
      if (known >= leastUsed) continue;
      least = replica;
      leastUsed = known;
    }
    return least;
  }

  #draw(): number {
    const shares = this.#shares;
    const drawn = this.#options.random() * shares.at(-1)!;
    let replica = 0;
    while (shares[replica]! <= drawn) replica++;
    return replica;
  }
}
