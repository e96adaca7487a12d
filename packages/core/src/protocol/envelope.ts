/**
 * Writes the header and the seal of own frames, and checks those of received frames.
 */

import type { Replicas } from "../store/replicas/replicas.ts";
import { FRAME_BYTES_MIN } from "../transport/transport.ts";
import { writeFormer } from "../wire/control-sections.ts";
import { type FrameKind, FrameReader, FrameWriter, SEAL_BYTES } from "../wire/frame.ts";
import type { Seal } from "../wire/seal.ts";
import { halvesOf, idOf } from "./membership/replica-id.ts";
import type { TransportState } from "./publish/frame-lane.ts";

/** Why a frame was refused. */
export type Refusal = "malformed" | "version" | "foreign" | "forged" | "own" | "tooManyReplicas";

export class Envelope {
  readonly writer: FrameWriter;
  /** The sender that the last opened frame names. */
  sender = "";
  readonly #seal: Seal;
  readonly #replicas: Replicas;
  readonly #transport: TransportState;

  constructor(seal: Seal, replicas: Replicas, transport: TransportState) {
    this.writer = new FrameWriter(seal.isSealing);
    this.#seal = seal;
    this.#replicas = replicas;
    this.#transport = transport;
  }

  /** Begins a frame of this replica. */
  begin(kind: FrameKind, sentAtMs: number, number: number, isUnrepeated = false): FrameWriter {
    this.writer.bytesMax = Math.max(this.#transport.maxPayload, FRAME_BYTES_MIN);
    this.writer.begin({
      kind,
      isSealed: this.#seal.isSealing,
      isUnrepeated,
      tag: this.#seal.tag,
      replica: halvesOf(this.#replicas.selfId),
      sentAtMs,
      number,
    });
    const former = this.#replicas.formers.own;
    if (former !== undefined && sentAtMs < former.untilMs) writeFormer(this.writer, former);
    return this.writer;
  }

  /** The frame that was begun, copied, with its seal. */
  finish(): Uint8Array {
    const written = this.writer.written();
    if (!this.#seal.isSealing) return written.slice();
    const frame = new Uint8Array(written.length + SEAL_BYTES);
    frame.set(written);
    frame.set(this.#seal.of(written), written.length);
    return frame;
  }

  /**
   * A reader at the sections of a frame that claims to be of this cluster; otherwise the reason to
   * refuse it.
   */
  open(frame: Uint8Array): FrameReader | Refusal {
    const reader = new FrameReader(frame);
    const fault = reader.readHeader();
    if (fault !== undefined) return fault;
    const { header } = reader;
    this.sender = idOf(header.replica.low, header.replica.high);
    if (header.tag !== this.#seal.tag) return "foreign";
    if (header.isSealed !== this.#seal.isSealing) return "forged";
    return reader;
  }

  /**
   * Whether the writer of a frame knew the secret, if there is one. This takes longer than `open`.
   */
  isGenuine(frame: Uint8Array): boolean {
    return !this.#seal.isSealing || this.#seal.isOn(frame);
  }
}
