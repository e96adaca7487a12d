/**
 * The canonical state of a replica and its limiters: a text of everything that can change what it
 * does later, and a hash of that text.
 *
 * It is the same for two replicas that will behave the same. So it does not depend on absolute time
 * (times are relative to now), on record numbers and replica indexes (keys and ids stand for them),
 * nor on the order in which something was put into a map.
 *
 * It reads the fields themselves, whose private names the project `exploration` exposes, and
 * everything that is not named below is part of it. So a new field counts by itself. A method
 * in each class would be code that ships for tests alone, and a field that it forgets would make
 * two states look equal that are not: an exploration would then skip what it has never run.
 */

import { createHash } from "node:crypto";
import type { SteppedReplica } from "../../src/cluster/stepped-cluster.ts";
import type { Limiter } from "../../src/limiter/limiter.ts";
import type { Replicas } from "../../src/store/replicas/replicas.ts";
import type { ComponentChain } from "../../src/store/shapes/component-chain.ts";
import { OTHERS_UNTIL, type WindowRecord } from "../../src/store/shapes/window/window-record.ts";
import type { Store } from "../../src/store/store.ts";
import {
  FRAME,
  GENERATION,
  LIVE,
  OWN,
  type Shape,
  STATE,
  VERSION_SHIFT,
  VERSIONS,
} from "../../src/store/table/entry.ts";
import { FINGERPRINT_HIGH, FINGERPRINT_LOW } from "../../src/store/table/key-index.ts";
import type { RecordFields } from "../../src/store/table/record-fields.ts";

/** Fields that hold a time although their name does not end like one. */
const TIMES = new Set([
  ...["now", "clusterNow", "$now", "keepUntil", "$followedAt", "$keptAt"],
  // Resets are times of the cluster.
  ...["reset", "markReset", "limiterReset"],
  ...["clockMs", "clockReceivedMs", "mergedClockMs", "lastReceivedMs", "$nowMs", "sentAtMs"],
]);
const IS_TIME = /(^at|^until|^since|At|Since|Until)Ms$/;
/** Fields in milliseconds that do not depend on now. */
const DURATIONS = new Set([
  ...["$wallOriginMs", "$originMs", "originMs", "blockedMs", "$offsetMs", "$knownOffsetMs"],
  ...["ageMs", "floorMs", "lateMs", "$differMs", "waitMs", "lifeMs", "keepMs", "$keepMs"],
  ...["aheadMsMax", "unsentAgeMs", "joinedForMs", "spacingMs", "nearMs", "farMs", "aheadMs"],
  ...["windowMs", "spreadMs", "silentMs", "$medianMs"],
]);

/**
 * Classes that hold nothing that later behaviour depends on: what is made of other state, room to
 * work in, and statistics.
 */
const SKIPPED_CLASSES = new Set([
  ...["Seal", "KeyIndex", "Fingerprinter", "FrameWriter", "FrameReader", "SteadyTime"],
  ...["Envelope", "ComponentBatch", "MergeBatch", "ComponentReader", "Rejections"],
  // Its turns go by who was received first. Its average matters to limits that are nearly used.
  ...["TravelTime"],
  // Begins anew with each series; one that goes on is in a generator.
  ...["FrameSeries", "DeltaEncoder"],
  // Work on the store that `storeText` writes.
  ...["ReplicatedLimiter"],
  // The time of the process, its beats, and promises for users.
  ...["Promise", "WeakRef", "WeakMap"],
]);

const SKIPPED_FIELDS = new Set([
  // The options of its owner, and what only users see.
  ...["SteppedReplica.$options", "SteppedReplica.$namespace", "SteppedReplica.$troubles"],
  ...["SteppedReplica.$lastTrouble"],
  ...["Housekeeping.$options", "Housekeeping.$store", "Housekeeping.$reported"],
  // Statistics.
  ...["FrameReceiver.frames", "FrameReceiver.bytes", "FrameSender.frames", "FrameSender.bytes"],
  ...["FrameSender.dropped", "Replica.$ahead"],
  // Indexes, which depend on who was received first.
  ...["Member.index", "FrameReceiver.$sender", "FrameReceiver.$number", "FrameReceiver.$isKnown"],
  ...["FrameReceiver.$sentAtMs", "FrameReceiver.$policy", "FrameReceiver.$encoding"],
  ...["FrameReceiver.$store"],
  // Written elsewhere: one budget of all members, and the works by those that have them.
  ...["ReplyParts.$budget", "Scheduler.$works"],
  // The same frames as in `$of`, in the order in which they are dropped when there are too many.
  ...["RecentFrames.$kept"],
]);

/** Words of a record of permits. */
const GAUGE = { hits: 0, releases: 1, others: 3, idleSince: 4 };

/** Maps and sets whose order changes what is done: which frame leaves first, what is dropped. */
const ORDERED = new Set(["FrameSender.$requests", "ReplyPartsBudget.$gathered"]);

/** Stands in a state for work that is half done, and can only be compared with itself. */
export const HALF_DONE = "half done";

/** The text of a replica's state, and of what its limiters remember beside their stores. */
export function stateText(stepped: SteppedReplica, limiters: readonly Limiter[]): string {
  const { replica } = stepped;
  const writer = new StateWriter(replica.replicas, replica.clock.now(), replica.clock.originMs);
  const parts = [writer.text(stepped), ...limiters.map((limiter) => writer.limiter(limiter))];
  for (const { name, store, retirement } of replica.replicatedLimiters.all()) {
    parts.push(`${name}: ${writer.store(store)} ${writer.text(retirement)}`);
  }
  return parts.join("\n");
}

/** A hash of `stateText`. */
export function stateHash(stepped: SteppedReplica, limiters: readonly Limiter[]): string {
  return hashOf(stateText(stepped, limiters));
}

export function hashOf(text: string): string {
  return createHash("md5").update(text).digest("base64");
}

/** Bytes 0–16 of a frame are fixed; then comes when it was sent, as a varint. */
const SENT_AT = 17;

/** A frame with its time of sending relative to now. The times in its sections are absolute. */
export function frameText(frame: Uint8Array, rawNowMs: number): string {
  if (frame.length <= SENT_AT) return "";
  let sentAtMs = 0;
  let at = SENT_AT;
  for (let factor = 1; at < frame.length; factor *= 128) {
    const byte = frame[at++]!;
    sentAtMs += (byte & 127) * factor;
    if (byte < 128) break;
  }
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.length);
  return `${bytes.toString("latin1", 0, SENT_AT)}${sentAtMs - rawNowMs}:${bytes.toString("latin1", at)}`;
}

function field<Type>(of: object, name: string): Type {
  if (!(name in of)) throw new Error(`${of.constructor.name} has no ${name}: see exposed-privates`);
  return (of as Record<string, Type>)[name]!;
}

class StateWriter {
  readonly #replicas: Replicas;
  readonly #now: number;
  readonly #rawNow: number;
  /** Objects of a class that are written already: many rooms refer to one. */
  readonly #written = new Set<object>();
  readonly #trail: string[] = [];

  constructor(replicas: Replicas, now: number, originMs: number) {
    this.#replicas = replicas;
    this.#now = now;
    this.#rawNow = now + originMs;
  }

  text(value: unknown, name = ""): string {
    if (typeof value === "number") return this.#number(name, value);
    if (typeof value !== "object" || value === null) {
      return typeof value === "function" ? "" : String(value);
    }
    return this.#object(value, name);
  }

  #number(name: string, value: number): string {
    const isTime = TIMES.has(name) || IS_TIME.test(name);
    if (!isTime && name.endsWith("Ms") && !DURATIONS.has(name)) {
      const where = `${this.#trail.join(" > ")}.${name}`;
      throw new Error(`is ${where} a time or a duration? state-hash.ts has to know`);
    }
    if (!isTime || value === 0 || !Number.isFinite(value)) return String(value);
    return `@${value - this.#now}`;
  }

  #object(value: object, name: string): string {
    if (value instanceof Uint8Array) return frameText(value, this.#rawNow);
    if (ArrayBuffer.isView(value)) return "";
    if (Array.isArray(value)) return `[${value.map((each) => this.text(each, name)).join()}]`;
    if (value instanceof Map || value instanceof Set) return this.#collection(value, name);
    const type = value.constructor?.name ?? "";
    if (Object.prototype.toString.call(value) === "[object Generator]") return HALF_DONE;
    if (SKIPPED_CLASSES.has(type)) return "";
    if (type === "Replicas") return this.#replicasText();
    if (type === "Member" && name !== "Membership.$members") return field<string>(value, "id");
    if (type !== "Object") {
      if (this.#written.has(value)) return "";
      this.#written.add(value);
    }
    if (type === "Slicer") return this.#slicer(value);
    if (type === "FrameFifo") {
      const waiting = field<unknown[]>(value, "$entries").slice(field<number>(value, "$next"));
      return this.text(waiting, name);
    }
    let text = `${type}{`;
    this.#trail.push(type);
    for (const key of Object.keys(value)) {
      if (SKIPPED_FIELDS.has(`${type}.${key}`)) continue;
      const child = (value as Record<string, unknown>)[key];
      if (typeof child === "function") continue;
      const isCollection = child instanceof Map || child instanceof Set;
      const written = this.text(child, isCollection ? `${type}.${key}` : key);
      if (written !== "") text += `${key}:${written} `;
    }
    this.#trail.pop();
    return `${text}}`;
  }

  #collection(value: Map<unknown, unknown> | Set<unknown>, name: string): string {
    const entries: string[] = [];
    for (const [key, each] of value.entries()) {
      const keyText = value instanceof Map ? `${this.text(key)}=` : "";
      entries.push(`${keyText}${this.text(each, name)}`);
    }
    if (!ORDERED.has(name)) entries.sort();
    return `(${entries.join()})`;
  }

  /** Work that is written waits to be sent; other work that has begun is half done. */
  #slicer(slicer: object): string {
    const pieces = field<{ isWritten: boolean }[]>(slicer, "$pieces");
    return `Slicer[${pieces.map(({ isWritten }) => (isWritten ? "written" : HALF_DONE)).join()}]`;
  }

  #id(index: number): string {
    return index === 0 ? "self" : index >= 0xffff ? "none" : this.#replicas.idOf(index);
  }

  #replicasText(): string {
    const replicas = this.#replicas;
    const lines = replicas.known().map((index) => {
      const { upTo, replica } = replicas.formers.of(index) ?? { upTo: 0, replica: 0 };
      const state = `${replicas.isAlive(index)}${replicas.isDropped(index)}`;
      const frames = `${replicas.receivedUpTo(index)},${replicas.heldSince(index)}`;
      const former = `${this.#id(replica)},${upTo}`;
      return `${replicas.idOf(index)}:${state},${replicas.offsetMs(index)},${frames},${former}`;
    });
    const { own } = replicas.formers;
    return `${replicas.selfId}(${lines.sort().join()}) ${this.text(own)}`;
  }

  /** What a limiter remembers beside its store; the rest is options, and room to work in. */
  limiter(limiter: Limiter): string {
    const engine = field<Record<"decider" | "housekeeping", object>>(limiter, "$engine");
    const quota = field<object>(engine.decider, "$partitionQuota");
    const parts = [field<object>(limiter, "$tally"), quota, engine.housekeeping];
    return parts.map((part) => this.text(part)).join(" ");
  }

  // ── A store ──────────────────────────────────────────────────────────────────────────────────

  store(store: Store): string {
    const { frame, generation, forgottenIn, isHeldUntold, resetsTie, versions, resets } = store;
    const head = [frame, generation, forgottenIn, isHeldUntold, resetsTie];
    const times = [this.#number("now", store.now), this.#number("clusterNow", store.clusterNow)];
    const { limiterReset, limiterResets, steppedBackAtMs } = versions;
    times.push(this.#number("reset", limiterReset), String(limiterResets));
    times.push(this.#number("steppedBackAtMs", steppedBackAtMs));
    times.push(String(field<number>(resets, "$frameOfAll")));
    const records: string[] = [];
    for (let id = 1; id < store.records.end; id++) {
      if ((store.records.word(id, STATE) & LIVE) !== 0) records.push(this.#record(store, id));
    }
    const notes = Array.from(store.notes.all(), (note) => {
      const { change, ...rest } = note;
      return this.text(rest);
    });
    return `${head} ${times} ${records.sort().join(" ")} notes ${notes.sort().join(" ")}`;
  }

  #record(store: Store, id: number): string {
    const { records, unsent } = store;
    const state = records.word(id, STATE);
    const words = [records.word(id, FINGERPRINT_LOW), records.word(id, FINGERPRINT_HIGH)];
    words.push(state & ((1 << VERSION_SHIFT) - 1));
    // Which replica introduced a foreign key matters in a full store only.
    words.push((state & OWN) === 0 ? -1 : records.word(id, GENERATION));
    const isStale = (state ^ store.ownState) >>> VERSION_SHIFT !== 0;
    const stale = isStale ? this.#staleness(store, state) : "";
    const shapes = store.shapes.map((shape) => this.#shape(shape, id));
    const frame = this.#unsent(unsent, records.word(id, FRAME), id);
    return `${words} ${stale} ${frame} ${shapes.join("|")}`;
  }

  /** Which changes the record has not seen yet. */
  #staleness(store: Store, state: number): string {
    const { versions } = store;
    const now = field<number>(versions, "$version");
    const version = now - ((now - (state >>> VERSION_SHIFT)) & (VERSIONS - 1));
    const seen = ["$steppedBackIn", "$resetIn"].map(
      (name) => version < field<number>(versions, name),
    );
    const formers = field<{ version: number; former: { replica: number } }[]>(versions, "$formers");
    const former = formers.find((given) => given.version > version)?.former.replica ?? 0;
    return `stale(${seen},${this.#id(former)})`;
  }

  #unsent(unsent: Store["unsent"], word: number, id: number): string {
    if (word >= 0 || unsent === null) return String(word);
    if (!unsent.has(id, word)) return "leaving";
    const [hits, ceiling] = ["$unsent", "$ceiling"].map(
      (name) => field<Float64Array>(unsent, name)[~word]!,
    );
    return `unsent(${hits},${ceiling})`;
  }

  #shape(shape: Shape, id: number): string {
    const type = shape.constructor.name;
    const chain = field<ComponentChain>(shape, "$chain");
    if (type === "WindowShape") return `${this.#window(shape, id)} ${this.#links(chain, id, true)}`;
    if (type === "GaugeShape") {
      const fields = field<RecordFields>(shape, "$fields");
      const counts = [GAUGE.hits, GAUGE.releases, GAUGE.others].map((at) => fields.count(id, at));
      const idleSince = this.#word(fields.word(id, GAUGE.idleSince));
      return `${counts},${idleSince} ${this.#links(chain, id, false)}`;
    }
    throw new Error(`state-hash.ts cannot read a ${type} yet`);
  }

  #window(shape: Shape, id: number): string {
    const record = field<WindowRecord>(shape, "$record");
    const opener = record.opener(id);
    const counts = [record.hits(id), record.others(id), record.refusals(id)];
    counts.push(record.othersRefusals(id), record.refunds.get(id) ?? 0, record.leadMs(id));
    const opened = opener >= 0xffff ? "" : record.openedAt(id) - this.#now;
    const until = field<RecordFields>(record, "$fields").word(id, OTHERS_UNTIL);
    return `${this.#id(opener)}@${opened},${counts},${this.#word(until)}`;
  }

  /** A time that a record keeps in one word. */
  #word(word: number): string {
    return word === 0 ? "0" : `@${(word - this.#now) | 0}`;
  }

  #links(chain: ComponentChain, id: number, hasTimes: boolean): string {
    const unsent = field<Set<number>>(chain, "$unsent");
    const links: string[] = [];
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      const who = `${this.#id(chain.replica(link))},${this.#id(chain.opener(link))}`;
      const period = chain.period(link) - (hasTimes ? this.#now : 0);
      const counts = [chain.hits(link), chain.refunds(link), chain.refusals(link)];
      links.push(`${who},${chain.generation(link)},${period},${counts},${unsent.has(link)}`);
    }
    return `[${links.sort().join(";")}]`;
  }
}
