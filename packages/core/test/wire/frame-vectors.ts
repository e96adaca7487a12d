/**
 * What the frames among the published vectors say, in plain words.
 *
 * 64-bit values are the 16 hexadecimal digits of their bytes, in the order in which frames carry
 * them.
 */

import { type FrameKind, FrameWriter } from "../../src/wire/frame.ts";
import type { Seal } from "../../src/wire/seal.ts";
import {
  digitsOf,
  type Entry,
  halvesOf,
  type Opener,
  type Section,
  writeSection,
} from "./section-writer.ts";

const SENT_AT = 1_700_000_000_000;
const OPENED_AT: number = SENT_AT - 30_000;
const SENDER = "a1a2a3a4a5a6a7a8";
const OTHER = "0b0c0d0e0f1011f2";
const LIMITER = "04030201feffffff";
const [KEY_1, KEY_2, KEY_3] = ["0100000001000000", "0700000001000000", "02000000ffffffff"];

export interface FrameVector {
  readonly name: string;
  readonly says: {
    readonly kind: FrameKind;
    readonly isSealed: boolean;
    readonly isUnrepeated: boolean;
    readonly replica: string;
    readonly sentAt: number;
    readonly number: number;
    readonly sections: readonly Section[];
  };
  readonly frame: string;
}

function entry(given: Partial<Entry> & Pick<Entry, "key">): Entry {
  const { key, hits = 1, refunds = 0, refusals = 0, generation = 0, reset = 0, ...period } = given;
  return { key, ...period, hits, refunds, refusals, generation, reset };
}

function components(
  encoding: number,
  entries: readonly Entry[],
  more: { readonly of?: string; readonly openers?: readonly Opener[] } = {},
): Section {
  const { of = "0".repeat(16), openers } = more;
  const table = openers === undefined ? {} : { openers };
  return { type: 1, limiter: LIMITER, of, policy: 1, encoding, ...table, entries };
}

const syncRequest: Section = { type: 5, replica: OTHER, since: 250, others: false };
const replicaReport: Section = {
  ...{ type: 7, replica: OTHER, upTo: 299, clock: SENT_AT + 7, silent: 4_000 },
  above: 0x8000_0005,
};
const replyPart: Section = {
  ...{ type: 6, since: 250, upTo: 300, replyNumber: 4, part: 1, parts: 2 },
  hasAllPermits: true,
};
const windows: Section = components(
  0,
  [
    entry({ key: KEY_1, opener: SENDER, openedAt: OPENED_AT, hits: 5 }),
    entry({
      ...{ key: KEY_1, opener: OTHER, openedAt: OPENED_AT + 7 },
      ...{ hits: 200, refunds: 2, refusals: 1 },
    }),
    entry({ key: KEY_2, opener: SENDER, openedAt: OPENED_AT - 65_535, generation: 8, reset: 9 }),
  ],
  {
    openers: [
      { opener: SENDER, base: OPENED_AT, agoMs: 30_000 },
      { opener: OTHER, base: OPENED_AT + 7, agoMs: -2 },
    ],
  },
);

const FRAMES: readonly (readonly [
  string,
  FrameKind,
  readonly Section[],
  ("sealed" | "unrepeated")?,
])[] = [
  ["two windows of one key, and one of another", "counts", [windows]],
  ["the same, sealed", "counts", [windows], "sealed"],
  ["the same, of keys that have been evicted", "counts", [windows], "unrepeated"],
  [
    "windows opened more than 65,535 ms apart",
    "counts",
    [
      components(
        0,
        [
          entry({ key: KEY_1, opener: OTHER, openedAt: OPENED_AT }),
          entry({ key: KEY_2, opener: OTHER, openedAt: OPENED_AT - 65_536 }),
        ],
        { openers: [{ opener: OTHER, base: OPENED_AT, agoMs: 30_000 }] },
      ),
    ],
  ],
  [
    "slots",
    "counts",
    [
      components(1, [
        entry({ key: KEY_1, period: 100, hits: 2 ** 33 }),
        entry({ key: KEY_1, period: 99 }),
        entry({ key: KEY_2, period: 50 }),
        entry({ key: KEY_3, period: 86, hits: 128 }),
      ]),
    ],
  ],
  [
    "a log: its total before the window, and the totals at two times",
    "counts",
    [
      components(1, [
        entry({ key: KEY_1, period: SENT_AT - 90_000, hits: 2 ** 32 - 1 }),
        entry({ key: KEY_1, period: SENT_AT - 500, hits: 1 }),
        entry({ key: KEY_1, period: SENT_AT, hits: 4, refunds: 1 }),
      ]),
    ],
  ],
  ["a gauge", "counts", [components(2, [entry({ key: KEY_1, hits: 8, refunds: 7 })])]],
  [
    "keys of which one is too far from the others for the bytes of a gap",
    "counts",
    [
      components(
        2,
        [...Array.from({ length: 20 }, (_, index) => 16 + index), 0x1_1000].map((number) => {
          const key = digitsOf({ low: number, high: 0 });
          return entry({ key });
        }),
      ),
    ],
  ],
  [
    "resets and marks",
    "counts",
    [
      {
        ...{ type: 2, limiter: LIMITER, resetOfAll: 5 },
        notes: [
          {
            ...{ key: KEY_1, reset: 7, resetOfMarks: 0 },
            marks: [{ mark: "block", reset: 7, until: SENT_AT, limit: null }],
          },
          {
            ...{ key: KEY_3, reset: 0, resetOfMarks: SENT_AT },
            marks: [
              { mark: "penalty", reset: SENT_AT, until: SENT_AT + 60_000, limit: 100 },
              { mark: "drain", reset: SENT_AT, until: SENT_AT + 1, limit: 0 },
            ],
          },
        ],
      },
    ],
  ],
  [
    "the level of a bucket, in the last part of an answer",
    "reply",
    [
      {
        ...{ type: 3, limiter: LIMITER, policy: 0 },
        levels: [
          { key: KEY_1, reset: 7, slot: 97, level: 1_500 },
          { key: KEY_3, reset: 0, slot: 99, level: 1 },
        ],
      },
      replyPart,
    ],
  ],
  [
    "what another has counted, who cannot be asked",
    "reply",
    [
      replicaReport,
      components(1, [entry({ key: KEY_1, period: 100, hits: 3 })], { of: OTHER }),
      { type: 6, since: 300, upTo: 300, replyNumber: 5, part: 0, parts: 1, hasAllPermits: false },
    ],
  ],
  [
    "a heartbeat, with limiters",
    "heartbeat",
    [
      {
        ...{ type: 4, isReady: true, joinedForMs: 70_000, checksum: 0xcafe_babe },
        ...{ allowed: 2 ** 40, refused: 129, behind: [{ replica: OTHER, number: 299 }] },
        unsentAgeMs: 140,
      },
      {
        type: 8,
        limiters: [
          { name: "1112131415161718", identity: LIMITER, limits: [100, 2 ** 40] },
          { name: "2122232425262728", identity: KEY_2, limits: [0] },
        ],
      },
    ],
  ],
  ["a sync request", "request", [syncRequest]],
  ["a sync request, sealed", "request", [{ ...syncRequest, others: true }], "sealed"],
  ["that the sender has come", "hello", []],
  ["that the sender counted under another id", "hello", [{ type: 9, replica: OTHER, upTo: 299 }]],
  ["an echo", "heartbeat", [{ type: 10, replica: OTHER, clock: SENT_AT - 800, held: 300 }]],
  ["that the sender leaves", "leave", []],
  ["that the sender leaves, sealed", "leave", [], "sealed"],
];

/** The frames of two clusters, one without a secret and one with it. */
export function frameVectors(open: Seal, sealed: Seal): FrameVector[] {
  const vectors = FRAMES.map(([name, kind, sections, how]) => {
    const seal = how === "sealed" ? sealed : open;
    const outside = { name, kind, isUnrepeated: how === "unrepeated" };
    return vector(seal, outside, sections, (writer) => {
      for (const section of sections) writeSection(writer, section);
    });
  });
  const outside = { name: "a section that no reader knows", kind: "request" } as const;
  const unknown = vector(open, { ...outside, isUnrepeated: false }, [syncRequest], (writer) => {
    writer.beginSection(200, 3);
    for (const byte of [1, 2, 3]) writer.u8(byte);
    writer.endSection();
    writeSection(writer, syncRequest);
  });
  return [...vectors, unknown];
}

function vector(
  seal: Seal,
  { name, kind, isUnrepeated }: { name: string; kind: FrameKind; isUnrepeated: boolean },
  sections: readonly Section[],
  fill: (writer: FrameWriter) => void,
): FrameVector {
  const isSealed = seal.isSealing;
  const writer = new FrameWriter(isSealed);
  const { low, high } = halvesOf(SENDER);
  const header = { tag: seal.tag, replica: { low, high } };
  writer.begin({ kind, isSealed, isUnrepeated, ...header, sentAtMs: SENT_AT, number: 300 });
  fill(writer);
  const bytes = writer.written();
  const frame = Buffer.concat(isSealed ? [bytes, seal.of(bytes)] : [bytes]).toString("hex");
  const outside = { kind, isSealed, isUnrepeated, replica: SENDER };
  const says = { ...outside, sentAt: SENT_AT, number: 300, sections };
  return { name, says, frame };
}
