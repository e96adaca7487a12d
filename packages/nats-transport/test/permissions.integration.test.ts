import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { NatsServer } from "@tidegate/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLIENTS, type Client } from "./clients.ts";
import { End, until } from "./end.ts";

const ALL = '"tidegate.v1.shop.>"';
const NOTHING = '"elsewhere"';

/** A configuration with a user who may do everything, and one whose permissions are in question. */
function users(publish: string, subscribe: string): string {
  return `authorization { users = [
    { user: free, password: secret }
    { user: bound, password: secret, permissions: { publish: ${publish}, subscribe: ${subscribe} } }
  ] }\n`;
}

let server: NatsServer;

beforeEach(async () => {
  server = await NatsServer.start({ config: users(ALL, ALL) });
});
afterEach(async () => {
  await End.closeAll();
  await server.stop();
});

describe.each(CLIENTS)("permissions of a server, with $name", ({ connect }: Client) => {
  const open = (user: string): End => new End(() => connect(server.url, { user, pass: "secret" }));

  it("need cover only the subjects below the namespace", async () => {
    const [free, bound] = [open("free"), open("bound")];
    await free.reaches(bound);
    await bound.reaches(free);
    expect([...free.troubles, ...bound.troubles]).toEqual([]);
  });

  it("that deny publishing are reported once, and the transport notices when it is allowed again", async () => {
    await server.reload(users(NOTHING, ALL));
    const [free, bound] = [open("free"), open("bound")];
    await free.reaches(bound);
    await until(() => !bound.say("hello") || bound.state === "refused", "the refusal");
    await bound.becomes("refused");
    expect(bound.transport.connected).toBe(false);
    for (let frames = 0; frames < 50; frames++) bound.say("hello");
    await pause(50);
    expect(bound.troubles).toHaveLength(1);
    expect(bound.troubles[0]).toMatch(
      /^NATS does not let this process publish to 'tidegate\.v1\.shop\.[0-9a-f]{16}', so no other process receives it\. Allow it to publish to 'tidegate\.v1\.shop\.>'$/,
    );
    expect(server.log.match(/Publish Violation/g)?.length).toBeLessThan(3);
    await free.reaches(bound);
    await server.reload(users(ALL, ALL));
    await bound.reaches(free);
    await bound.becomes("connected");
    expect(bound.changes.at(-1)).toBe(true);
    expect(free.heard).not.toContain("hello");
  });

  it("that deny subscribing are reported, and the transport subscribes when it is allowed again", async () => {
    await server.reload(users(ALL, NOTHING));
    const [free, bound] = [open("free"), open("bound")];
    await bound.becomes("refused");
    await bound.reaches(free);
    expect(bound.transport.connected).toBe(false);
    expect(bound.troubles).toHaveLength(2);
    expect(bound.troubles[0]).toMatch(
      /^NATS does not let this process subscribe to 'tidegate\.v1\.shop\.\*' \(.+\), so it does not receive all other processes\. Allow it to subscribe to 'tidegate\.v1\.shop\.>'$/,
    );
    await server.reload(users(ALL, ALL));
    await free.reaches(bound);
    await bound.becomes("connected");
  });

  it("that are revoked while it runs are reported, and noticed when they return", async () => {
    const [free, bound] = [open("free"), open("bound")];
    await free.reaches(bound);
    await server.reload(users(ALL, NOTHING));
    await until(() => {
      bound.say("a heartbeat");
      return bound.state === "refused";
    }, "the refusal");
    expect(bound.changes.at(-1)).toBe(false);
    await server.reload(users(ALL, ALL));
    await free.reaches(bound);
    await bound.becomes("connected");
  });

  it("that refuse the user altogether are reported, and tried again", async () => {
    const stranger = open("stranger");
    await until(() => stranger.troubles.length > 0, "a report");
    expect(stranger.troubles[0]).toMatch(/Authorization|AUTHORIZATION/);
    await server.reload(users(ALL, ALL).replace("bound", "stranger"));
    await stranger.becomes("connected");
  });
});

describe.each(CLIENTS)("the longest payload of a server, with $name", ({ connect }: Client) => {
  it("is what can be sent, and follows the server when it is changed", async () => {
    await server.reload("max_payload: 20000\n");
    const [one, two] = [new End(() => connect(server.url)), new End(() => connect(server.url))];
    await one.reaches(two);
    expect(one.transport.maxPayload).toBe(20_000);
    expect(one.say("x".repeat(20_001))).toBe(false);
    expect(one.troubles).toEqual([
      "frames longer than the 20000 bytes that the NATS server takes are dropped: raise its 'max_payload' to 65536 or more",
    ]);
    await one.reaches(two, "y".repeat(20_000));

    await server.reload("max_payload: 10000\n");
    one.say("z".repeat(15_000));
    await until(() => one.transport.maxPayload === 10_000, "the new length to be known");
    await one.reaches(two, "y".repeat(10_000));
    expect(two.heard).not.toContain("z".repeat(15_000));

    await server.reload("max_payload: 1MB\n");
    await server.restart();
    await one.becomes("connected");
    await one.reaches(two);
  });
});

describe("the configuration in the README", () => {
  it("lets a process share limits, and do nothing else", async () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const config = /```conf\n(authorization[^`]+)```/.exec(readme)?.[1] ?? "";
    await server.reload(config.replaceAll("$SHOP_PASSWORD", "secret"));
    const { connect } = CLIENTS[0]!;
    const open = (namespace: string): End =>
      new End(() => connect(server.url, { user: "shop", pass: "secret" }), namespace);
    const [one, two, other] = [open("shop"), open("shop"), open("another")];
    await one.reaches(two);
    await other.becomes("refused");
  });
});
