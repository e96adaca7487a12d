/** The configurations of docs/guides/running-with-nats.md, each in a server of its own. */

import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { NatsServer } from "@tidegate/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { CLIENTS } from "./clients.ts";
import { End } from "./end.ts";

const GUIDE = readFileSync(
  new URL("../../../docs/guides/running-with-nats.md", import.meta.url),
  "utf8",
);

/** The block that begins with a comment, with what stands for something put in its place. */
function block(comment: string, changes: Readonly<Record<string, string>> = {}): string {
  const found = Array.from(GUIDE.matchAll(/```conf\n([\s\S]+?)```/g), ([, text]) => text ?? "");
  const text = found.find((config) => config.startsWith(`# ${comment}\n`));
  if (text === undefined) throw new Error(`the guide has no block '${comment}'`);
  return Object.entries(changes).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`there is no ${from} in '${comment}'`);
    return changed.replaceAll(from, to);
  }, text);
}

const servers: NatsServer[] = [];

async function start(config: string): Promise<NatsServer> {
  const server = await NatsServer.start({ config });
  servers.push(server);
  return server;
}

afterEach(async () => {
  await End.closeAll();
  for (const server of servers.splice(0)) await server.stop();
});

const { connect } = CLIENTS[1]!;

function open(server: NatsServer, user?: string): End {
  return new End(() => connect(server.url, user === undefined ? {} : { user, pass: "secret" }));
}

/** A port that is free now. */
async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}

describe("the guide to running with NATS", () => {
  it("has three servers that carry frames from any to any", async () => {
    const ports = [await freePort(), await freePort(), await freePort()];
    const routes = "nats://10.0.0.1:6222, nats://10.0.0.2:6222, nats://10.0.0.3:6222";
    for (const port of ports) {
      const config = block("each of three servers", {
        "listen: 0.0.0.0:4222": "",
        "0.0.0.0:6222": `127.0.0.1:${port}`,
        [routes]: ports.map((other) => `nats://127.0.0.1:${other}`).join(", "),
      });
      await start(config);
    }
    const ends = servers.map((server) => open(server));
    await ends[0]!.reaches(ends[1]!);
    await ends[1]!.reaches(ends[2]!);
    await ends[2]!.reaches(ends[0]!);
  });

  it("has leaves whose processes receive those of the hub, and each other when it is gone", async () => {
    const port = `${await freePort()}`;
    const hub = await start(block("the hub", { "0.0.0.0:7422": `127.0.0.1:${port}` }));
    const leaf = await start(block("each leaf", { "10.0.0.1:7422": `127.0.0.1:${port}` }));
    const [far, one, two] = [open(hub), open(leaf), open(leaf)];
    await far.reaches(one);
    await one.reaches(far);
    await hub.kill();
    await one.reaches(two);
    expect(one.state).toBe("connected");
    await hub.restart();
    await far.reaches(two);
  });

  it("has users of whom one shares, and the other neither receives nor makes up counts", async () => {
    const server = await start(
      block("a user for the processes, and others that cannot reach their subjects", {
        $SHOP_PASSWORD: "secret",
        $OTHER_PASSWORD: "secret",
      }),
    );
    const [one, two, stranger] = [
      open(server, "shop"),
      open(server, "shop"),
      open(server, "other_services"),
    ];
    await one.reaches(two);
    await two.reaches(one);
    await stranger.becomes("refused");
    stranger.say("made up");
    await one.reaches(two);
    expect([...one.heard, ...two.heard]).not.toContain("made up");
    expect(stranger.heard).toEqual([]);
  });

  it("has accounts that do not receive each other, whatever the namespace", async () => {
    const server = await start(
      block("two accounts that are isolated from each other", {
        $LIVE_PASSWORD: "secret",
        $STAGING_PASSWORD: "secret",
      }),
    );
    const [live, alsoLive, staging] = [
      open(server, "live"),
      open(server, "live"),
      open(server, "staging"),
    ];
    await staging.becomes("connected");
    await live.reaches(alsoLive);
    staging.say("from staging");
    await alsoLive.reaches(live);
    expect(staging.heard.filter((text) => text !== "from staging")).toEqual([]);
    expect([...live.heard, ...alsoLive.heard]).not.toContain("from staging");
  });

  it("has a block for TLS that the server understands, and that misses nothing but its files", async () => {
    const failure = start(block("TLS with certificates for both sides"));
    await expect(failure).rejects.toThrow(/server\.crt|certificate|tls/i);
  });
});
