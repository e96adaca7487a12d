import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { NatsServer } from "@tidegate/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL("silent-process.mjs", import.meta.url));
const CONFIG = `authorization { users = [
  { user: bound, password: secret, permissions: { publish: "elsewhere", subscribe: ">" } }
] }\n`;
/** A port that no server listens on. */
const NOWHERE = "nats://127.0.0.1:9";

let server: NatsServer;

beforeAll(async () => {
  server = await NatsServer.start({ config: CONFIG });
});
afterAll(() => server.stop());

/** What a process prints that connects with some settings. */
async function printed(client: string, settings: object): Promise<string> {
  const { stderr } = await run(process.execPath, [PROGRAM, client, JSON.stringify(settings)]);
  return stderr;
}

describe.concurrent.each(["nats", "@nats-io/transport-node"])(
  "a process without a subscriber prints the first error once, with %s:",
  (client) => {
    it.each([
      ["a server that is not there", "TIDEGATE_NATS_UNREACHABLE", () => ({ servers: NOWHERE })],
      [
        "a wrong password",
        "TIDEGATE_NATS_UNREACHABLE",
        () => ({ servers: server.url, user: "bound", pass: "wrong" }),
      ],
      [
        "a permission that is missing",
        "TIDEGATE_NATS_REFUSED",
        () => ({ servers: server.url, user: "bound", pass: "secret" }),
      ],
    ])("%s", async (_, code, settings) => {
      const text = await printed(client, settings());
      expect(text.match(/\[TIDEGATE_\w+\] TidegateWarning: cluster "shop": /g)).toEqual([
        `[${code}] TidegateWarning: cluster "shop": `,
      ]);
    });
  },
);
