/**
 * The partition key of a response: it distinguishes clients without identifying them.
 *
 * It is off by default. A plain hash of an address can be reversed by trying all addresses, so a
 * secret is required. The same key and secret give the same text in every process.
 */

import { createHmac } from "node:crypto";
import { invalidOption, knownOptions } from "../../base/options.ts";
import { countedKey } from "../client/client-key.ts";
import { type Asked, isThenable, type MaybePromise, type ShownKey } from "../user-functions.ts";
import { fieldBytes } from "./structured-field.ts";

const SECRET_BYTES_LEAST = 16;

export interface KeyedPartition {
  /** At least 16 bytes that only the processes of the application know. */
  readonly secret: string | Uint8Array;
  /**
   * How many bytes are sent.
   *
   * @default 12
   */
  readonly bytes?: 9 | 12 | undefined;
}

export type PartitionKey<Request, Response> =
  | false
  | KeyedPartition
  | Asked<Request, Response, Uint8Array>;

/** Makes the Byte Sequence of a request; null without a partition key. */
export type Partitioner<Request, Response> = (
  request: Request,
  response: Response,
  key: ShownKey,
) => MaybePromise<string | null>;

export function partitioner<Request, Response>(
  given: PartitionKey<Request, Response> | undefined,
): Partitioner<Request, Response> | null {
  if (given === undefined || given === false) return null;
  if (typeof given === "function") {
    return (request, response) => {
      const bytes: unknown = given(request, response);
      return isThenable(bytes) ? Promise.resolve(bytes).then(shownBytes) : shownBytes(bytes);
    };
  }
  knownOptions("'partitionKey'", given, ["secret", "bytes"]);
  const { secret, bytes = 12 } = given as KeyedPartition;
  const isLong = typeof secret === "string" || secret instanceof Uint8Array;
  if (!isLong || Buffer.byteLength(secret) < SECRET_BYTES_LEAST) {
    const expected = `a secret of at least ${SECRET_BYTES_LEAST} bytes`;
    throw invalidOption("partitionKey.secret", expected, typeof secret);
  }
  if (bytes !== 9 && bytes !== 12) throw invalidOption("partitionKey.bytes", "9 or 12", bytes);
  return (_request, _response, key) => {
    const digest = createHmac("sha256", secret).update(countedKey(key)).digest();
    return fieldBytes(digest.subarray(0, bytes));
  };
}

function shownBytes(bytes: unknown): string | null {
  return bytes instanceof Uint8Array && bytes.length > 0 ? fieldBytes(bytes) : null;
}
