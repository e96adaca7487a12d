/**
 * A process of its own that says one thing, closes its transport and has nothing left to do. Runs the
 * built package, with the client and the way of connecting that it is told.
 */

import { randomBytes } from "node:crypto";
import { natsTransport } from "../dist/index.mjs";

const [client, way, url, namespace] = process.argv.slice(2);
const { connect } = await import(client);

const SOURCES = {
  given: () => connect({ servers: [url] }),
  promised: () => connect({ servers: [url] }),
  made: () => () => connect({ servers: [url] }),
};

const source = way === "given" ? await SOURCES.given() : SOURCES[way]();
const transport = natsTransport({ connection: source });
const replica = randomBytes(8).toString("hex");
transport.open(() => {}, { namespace, replica, changed: () => void sayAndLeave() });

async function sayAndLeave() {
  if (!transport.connected) return;
  transport.publish(Buffer.from(`last words, ${way}`));
  await transport.close();
  if (way !== "made") await (await source).close();
}
