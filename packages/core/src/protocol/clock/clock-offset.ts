/**
 * How far another replica's clock is behind ours: measured from the frames that it sends, and
 * before the first one taken from other replicas' reports.
 *
 * A frame's age on arrival is the offset plus the time that it travelled. Travelling only adds, so
 * the smallest age of the last seconds is nearest to the truth. Only the last seconds count,
 * because clocks drift and are set. Whole seconds count, because a busy machine may hold up all
 * frames of a moment. The offset is too large by at most the travelling time of the fastest frame.
 *
 * Frames that are much older than the offset explains were queued, or their sender's clock stood
 * still. A queue grows frame by frame, and its delay varies. A clock that stood still sends nothing
 * meanwhile, is behind at once by the length of that silence, and stays behind by the same amount.
 */

/** Ages that exceed the offset by more are late. */
const STEP_MS = 1_000;
/** For how long frames must have been late, and in how many seconds. */
const STEP_AFTER_MS = 2_000;
const STEP_SAMPLES = 3;
/**
 * How much the delay of late frames may vary from second to second if their sender's clock is
 * behind.
 */
const STEADY_MS = 250;
const SAMPLE_MS = 1_000;
const SAMPLES = 16;
/** In how many seconds frames must have arrived: all frames of the first may be late. */
const SAMPLES_LEAST = 3;

interface Lateness {
  readonly sinceMs: number;
  /** Whether most of it came with one frame, so that no queue can have grown meanwhile. */
  readonly isJump: boolean;
  /** A younger frame shows that not all of it was a clock that stood still. */
  readonly floorMs: number;
  /** Whether this process was blocked for much of the silence before that frame. */
  readonly isOurs: boolean;
  readonly ages: AgeSamples;
  /** Whether frames were in time before it. */
  readonly isNew: boolean;
}

/** The smallest age of received frames, for each of the last seconds in which some arrived. */
class AgeSamples {
  readonly #ages: number[] = [];
  #now = -1;
  #endsAtMs = Number.NEGATIVE_INFINITY;

  add(atMs: number, ageMs: number): void {
    if (atMs < this.#endsAtMs) {
      this.#ages[this.#now] = Math.min(this.#ages[this.#now]!, ageMs);
      return;
    }
    this.#now = (this.#now + 1) % SAMPLES;
    this.#ages[this.#now] = ageMs;
    this.#endsAtMs = atMs + SAMPLE_MS;
  }

  /** For how many seconds there is a sample, at most sixteen. */
  get count(): number {
    return this.#ages.length;
  }

  get isFull(): boolean {
    return this.count === SAMPLES;
  }

  get least(): number {
    return Math.min(...this.#ages);
  }

  /** Only the samples of the last so many seconds. */
  latest(seconds: number): AgeSamples {
    const latest = new AgeSamples();
    const count = Math.min(seconds, this.count);
    for (let back = count - 1; back >= 0; back--) {
      latest.#ages.push(this.#ages[(this.#now - back + SAMPLES) % SAMPLES]!);
    }
    latest.#now = count - 1;
    latest.#endsAtMs = this.#endsAtMs;
    return latest;
  }

  /** How far the samples of the last so many seconds lie apart. */
  spreadMs(seconds: number): number {
    const count = Math.min(seconds, this.count);
    const last = Array.from({ length: count }, (_, back) => {
      return this.#ages[(this.#now - back + SAMPLES) % SAMPLES]!;
    });
    return Math.max(...last) - Math.min(...last);
  }
}

export class ClockOffset {
  #ages = new AgeSamples();
  #late: Lateness | undefined;
  /**
   * When the last frame arrived, its age, and for how long this process had been blocked by then.
   */
  #last:
    | { readonly receivedAtMs: number; readonly ageMs: number; readonly blockedMs: number }
    | undefined;
  /** When the last frame arrived that was not late. */
  inTimeAtMs: number = Number.NEGATIVE_INFINITY;

  /** @param reportedMs the offset by another replica's report, which counts like a first frame */
  constructor(reportedMs?: number) {
    if (reportedMs !== undefined) this.#ages.add(Number.NEGATIVE_INFINITY, reportedMs);
  }

  /**
   * Adds a frame; returns the offset as it is known now.
   *
   * @param blockedMs for how long the event loop of this process has been blocked so far, in all
   */
  received(receivedAtMs: number, sentAtMs: number, blockedMs = 0): number {
    const ageMs = receivedAtMs - sentAtMs;
    if (this.#ages.count > 0 && ageMs > this.offsetMs + STEP_MS) {
      this.#late = this.#lateness(receivedAtMs, ageMs, blockedMs);
      const { ages } = this.#late;
      ages.add(receivedAtMs, ageMs);
      // A queue that appeared suddenly would not keep its delay for so long.
      if (this.#late.isJump && ages.isFull && ages.spreadMs(ages.count) <= STEADY_MS) this.step();
    } else {
      this.#late = undefined;
      this.inTimeAtMs = receivedAtMs;
      this.#ages.add(receivedAtMs, ageMs);
    }
    this.#last = { receivedAtMs, ageMs, blockedMs };
    return this.offsetMs;
  }

  /** What to add to a time on the other's clock to have it on ours; 0 before the first frame. */
  get offsetMs(): number {
    return this.#ages.count === 0 ? 0 : this.#ages.least;
  }

  /**
   * Whether the offset is more than a guess. The first frames that a joining replica receives of
   * another may be old ones, which were relayed or repeated.
   */
  get isMeasured(): boolean {
    return this.#ages.count >= SAMPLES_LEAST;
  }

  /**
   * The same, assuming that the other's clock stood still if that is likely. After a suspended
   * machine resumes, its clock is behind at once: a replica that is given a later time would take
   * its frames for old ones.
   */
  get likelyOffsetMs(): number {
    const late = this.#late;
    return late?.isJump === true && !late.isOurs ? late.ages.least : this.offsetMs;
  }

  /**
   * Since when frames have been late as if the other's clock had stood still. Undefined until that
   * is long enough to be believed, if frames of other replicas are in time.
   */
  get suspectSinceMs(): number | undefined {
    if (this.#late === undefined || !this.#late.isJump || this.#late.isOurs) return undefined;
    const { sinceMs, ages } = this.#late;
    const isLong = this.#last!.receivedAtMs - sinceMs >= STEP_AFTER_MS;
    return isLong && ages.count >= STEP_SAMPLES && ages.spreadMs(STEP_SAMPLES) <= STEADY_MS
      ? sinceMs
      : undefined;
  }

  /**
   * Accepts late frames: the other replica was suspended, and earlier measurements are void. If it
   * was suspended twice, so are the measurements in between.
   */
  step(): void {
    if (this.#late === undefined) return;
    this.#ages = this.#late.ages.latest(STEP_SAMPLES);
    this.#late = undefined;
  }

  /** The lateness that goes on or begins with this frame. */
  #lateness(receivedAtMs: number, ageMs: number, blockedMs: number): Lateness {
    const late = this.#late;
    if (late?.isJump === true) {
      if (ageMs >= late.floorMs) return late;
      if (!late.isNew) return { ...late, isJump: false };
      // If this machine was suspended, too, frames have waited, or its own clock stood still since.
      const floorMs = (ageMs + this.offsetMs) / 2;
      return { ...late, isOurs: true, floorMs, ages: new AgeSamples() };
    }
    const growthMs = ageMs - (this.#last?.ageMs ?? this.offsetMs);
    const isJump = growthMs >= STEP_MS || 2 * growthMs >= ageMs - this.offsetMs;
    if (!isJump && late !== undefined) return late;
    const silenceMs = receivedAtMs - (this.#last?.receivedAtMs ?? Number.NEGATIVE_INFINITY);
    const isOurs = growthMs > silenceMs - (blockedMs - (this.#last?.blockedMs ?? 0)) + STEADY_MS;
    const floorMs = ageMs - growthMs / 2;
    const isNew = late === undefined;
    return { sinceMs: receivedAtMs, isJump, floorMs, isOurs, ages: new AgeSamples(), isNew };
  }
}

/**
 * What to add to our clock to have the cluster's: the lower median over all clocks, ours included,
 * so that fewer than half of them cannot move it, whatever they show.
 *
 * @param offsetsMs for every other replica, what to add to its clock to have ours
 */
export function clusterOffsetMs(offsetsMs: readonly number[]): number {
  const ahead = [0, ...offsetsMs.map((offsetMs) => -offsetMs)].sort((left, right) => left - right);
  return ahead[Math.floor((ahead.length - 1) / 2)]!;
}
