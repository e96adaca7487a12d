/**
 * The entry for authors of transports: what carries frames between replicas.
 *
 * `TRANSPORT_CONTRACT` is what the replication relies on, as cases for any test runner; a transport
 * that keeps it can be used. The checks of options are here so that all transports refuse mistakes in
 * the same words.
 */

export type { EventKind, EventSeverity } from "./base/cluster-events.ts";
export { invalidOption, knownOptions, missingOption } from "./base/options.ts";
export { FRAME_BYTES_MAX, type Transport, type TransportContext } from "./transport/transport.ts";
export {
  type ContractCase,
  TRANSPORT_CONTRACT,
  type TransportLab,
} from "./transport/transport-contract.ts";
