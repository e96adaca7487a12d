/**
 * Accounts for hits that other replicas have counted and this one cannot have received yet.
 *
 * Every count is on its way for some milliseconds. A key that receives many times its limit would
 * get that many milliseconds of hits beyond it. So a replica estimates what is on its way when
 * little of a limit is left:
 *
 *     limit  ├──────────────────────────────┬───────────┤
 *            used, as received              unheard = rate of the others × the age of their counts
 *
 * It refuses a hit that fits only if the limit would be passed by a fifth before the window ends,
 * and only if several hits are on their way. So no client within its limit is refused, and nothing
 * happens to a key of fewer than some hundred hits a second.
 *
 * From the first such refusal on, the replica is closing until the window ends. It then knows hardly
 * anything of what the others still allow. So it allows what is right if all of them do the same: of
 * its own hits that the others cannot have received yet, no more than its share of what is left.
 * Below one hit it decides by lot. What is left shrinks with each round of frames, and the limit is
 * reached and hardly passed.
 *
 * Where hits leave one by one, the limit of a busy key is reached all the time. There a replica is
 * closing for a window after each refusal.
 *
 * What a decision reports as used is never an estimate. docs/decisions/anticipation.md has the
 * figures and the reasons.
 */

/** By how much a limit must be about to be passed. */
const PASSED_BY = 1.2;
/** How many hits must be on their way. */
const UNHEARD_LEAST = 4;
/** How many standard deviations of the unheard hits are added to their expected number. */
const DEVIATIONS = 3;
/** A count waits for the next whole millisecond, to be sent and to be read. */
const TIMER_MS = 1;
/** A rate is measured over at least so many ages of a count; a younger window is one measurement. */
const MEASURED_AGES = 2;
const YOUNG_AGES = 16;
/** Where hits leave one by one: the least part of them that does not fit, in the recent mean. */
const REFUSED_LEAST = 1 / 3;
/** How many hits are taken to have fitted before the first one that did not. */
const FITTED_BEFORE = 32;
/** The weight of one measurement in the rate at which hits are offered. */
const RATE_WEIGHT = 1 / 4;
/** Over how many windows that mean goes: hits that came in bursts also leave in bursts. */
const MEAN_WINDOWS = 2;
/** How many keys are watched at a time; hits of further ones are not anticipated. */
const WATCHED_MAX = 4_096;
/** Until a full table is looked through again for keys that need not be watched any more. */
const SWEEP_MS = 100;

/** What is known of the replicas that count with this one. */
export interface Company {
  /** How many replicas there are, this one included. */
  readonly aliveCount: number;
  /** The least time between two frames of a replica. */
  readonly spacingMs: number;
  /** How long a frame travels. */
  readonly travelMs: number;
}

/** A key under one policy, as far as its counts have been received. */
export interface Usage {
  readonly used: number;
  /** Of these, what this replica has counted itself. */
  readonly own: number;
  readonly limit: number;
}

/** The same in a window that fills anew. */
export interface FillingWindow extends Usage {
  readonly openForMs: number;
  readonly leftMs: number;
}

/** A key of which little is left. */
interface Watched {
  untilMs: number;
  /** How long it is watched at a time. */
  readonly windowMs: number;
  /** The last measurement: when it was, what was counted then, and the hits per millisecond. */
  measuredAtMs: number;
  counted: number;
  rate: number;
  /** Where hits leave one by one: hits that were offered and refused, in the recent mean. */
  offered: number;
  refused: number;
  /** What was used when this replica began to close; infinite while it does not. */
  closedAt: number;
  closedAtMs: number;
  /** Own hits that the others had not received then. */
  unheard: number;
  /** Own hits since then that the others cannot have received yet. */
  readonly hits: { readonly atMs: number; readonly cost: number }[];
}

const OPEN = Number.POSITIVE_INFINITY;

export class Anticipation {
  readonly #company: Company;
  readonly #random: () => number;
  readonly #watched = new Map<number, Watched>();
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  /** @param random from 0 to 1 */
  constructor(company: Company, random: () => number) {
    this.#company = company;
    this.#random = random;
  }

  /**
   * Whether to refuse a hit that fits a window that fills anew.
   *
   * @param key identifies the key and the policy
   */
  refuses(key: number, window: FillingWindow, cost: number, now: number): boolean {
    const { used, own, limit, openForMs, leftMs } = window;
    const others = used - own;
    if (others <= 0 || this.#company.aliveCount < 2) return false;
    const watched = this.#watch(key, others, now, now + leftMs - 1);
    if (watched === undefined) return false;
    if (used < watched.closedAt) {
      if (watched.closedAt !== OPEN) watched.closedAt = OPEN;
    } else return !this.#passes(watched, window, cost, now);
    const ageMs = this.#ageMs;
    // What has arrived was counted before the last milliseconds of the window.
    const isYoung = openForMs <= YOUNG_AGES * ageMs;
    const rate = isYoung
      ? others / Math.max(ageMs, openForMs - ageMs)
      : this.#measure(watched, others, now);
    const unheard = Math.min(others, rate * ageMs);
    if (unheard < UNHEARD_LEAST) return false;
    const coming = Math.max(used / Math.max(1, openForMs), rate) * leftMs;
    if (coming <= PASSED_BY * (limit - used)) return false;
    const most = Math.floor(unheard + DEVIATIONS * Math.sqrt(unheard));
    if (used + most + cost <= limit) return false;
    watched.closedAt = used;
    watched.closedAtMs = now;
    watched.unheard = Math.min(own, (own / Math.max(1, openForMs)) * this.#heardAfterMs);
    watched.hits.length = 0;
    return !this.#passes(watched, window, cost, now);
  }

  /** Whether to refuse a hit that fits, under a policy whose hits leave one by one. */
  refusesWhileFull(key: number, usage: Usage, cost: number, now: number): boolean {
    const watched = this.#watched.get(key);
    if (watched === undefined || now >= watched.untilMs) return false;
    this.#offer(watched, cost, now);
    return this.#isFlooded(watched, usage) && !this.#passes(watched, usage, cost, now);
  }

  /**
   * A hit was refused under such a policy: it is closing for so long.
   *
   * @param fits whether the hit was refused by `refusesWhileFull`
   */
  refused(
    key: number,
    { used, own }: Usage,
    cost: number,
    fits: boolean,
    now: number,
    forMs: number,
  ): void {
    if (own >= used || this.#company.aliveCount < 2) return;
    const watched = this.#watch(key, 0, now, now + forMs);
    if (watched === undefined) return;
    watched.untilMs = now + forMs;
    watched.refused += cost;
    if (!fits) this.#offer(watched, cost, now);
  }

  /** How long a hit of another replica has been on its way, in the mean, when it is due here. */
  get #ageMs(): number {
    const { spacingMs, travelMs } = this.#company;
    return travelMs + spacingMs / 2 + TIMER_MS;
  }

  /** How long it takes until all others have received a hit. */
  get #heardAfterMs(): number {
    const { spacingMs, travelMs } = this.#company;
    return travelMs + spacingMs + TIMER_MS;
  }

  /** Measures how fast a count rises; returns the last rate. */
  #measure(watched: Watched, counted: number, now: number): number {
    const forMs = now - watched.measuredAtMs;
    if (forMs >= MEASURED_AGES * this.#ageMs) {
      watched.rate = Math.max(0, counted - watched.counted) / forMs;
      watched.counted = counted;
      watched.measuredAtMs = now;
    }
    return watched.rate;
  }

  /** Measures how fast hits are offered, and how many of them are refused. */
  #offer(watched: Watched, cost: number, now: number): void {
    watched.counted += cost;
    watched.offered += cost;
    const forMs = now - watched.measuredAtMs;
    if (forMs < MEASURED_AGES * this.#ageMs) return;
    // A single replica is offered few hits within a measurement.
    watched.rate += RATE_WEIGHT * (watched.counted / forMs - watched.rate);
    watched.counted = 0;
    watched.measuredAtMs = now;
    const kept = Math.max(0, 1 - forMs / (MEAN_WINDOWS * watched.windowMs));
    watched.offered *= kept;
    watched.refused *= kept;
  }

  /** Whether the others are offered so many hits, and refuse so many, that it matters. */
  #isFlooded({ rate, offered, refused }: Watched, usage: Usage): boolean {
    const share = this.#shareOf(usage);
    const unheard = (rate * (1 - share) * this.#ageMs) / share;
    return unheard >= UNHEARD_LEAST && refused >= REFUSED_LEAST * offered;
  }

  /** The part of what is left that is this replica's. All parts together are the whole. */
  #shareOf({ used, own }: Usage): number {
    return (own + 1) / (used + this.#company.aliveCount);
  }

  /** Whether a closing replica allows a hit, which is then unheard. */
  #passes(watched: Watched, usage: Usage, cost: number, now: number): boolean {
    const ageMs = this.#heardAfterMs;
    const { hits, closedAtMs } = watched;
    while (hits.length > 0 && hits[0]!.atMs <= now - ageMs) hits.shift();
    const before = watched.unheard * Math.max(0, 1 - (now - closedAtMs) / ageMs);
    const unheard = hits.reduce((sum, hit) => sum + hit.cost, before);
    const room = (usage.limit - usage.used) * this.#shareOf(usage) - unheard;
    if (room < cost && this.#random() * cost >= room) return false;
    hits.push({ atMs: now, cost });
    return true;
  }

  /** The entry of a key, made if needed; undefined without room. */
  #watch(key: number, counted: number, now: number, untilMs: number): Watched | undefined {
    const known = this.#watched.get(key);
    if (known !== undefined && now < known.untilMs) return known;
    if (known === undefined && !this.#hasRoom(now)) return undefined;
    const watched: Watched = {
      ...{
        untilMs,
        windowMs: untilMs - now,
        measuredAtMs: now,
        counted,
        rate: 0,
        offered: FITTED_BEFORE,
        refused: 0,
      },
      ...{ closedAt: OPEN, closedAtMs: now, unheard: 0, hits: [] },
    };
    this.#watched.set(key, watched);
    return watched;
  }

  #hasRoom(now: number): boolean {
    if (this.#watched.size < WATCHED_MAX) return true;
    if (now < this.#sweptAtMs + SWEEP_MS) return false;
    this.#sweptAtMs = now;
    for (const [key, { untilMs }] of this.#watched) if (now >= untilMs) this.#watched.delete(key);
    return this.#watched.size < WATCHED_MAX;
  }
}
