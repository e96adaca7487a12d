import { beforeEach, describe, expect, it } from "vitest";
import { Subjects } from "../src/subjects.ts";
import { Subscriptions } from "../src/subscriptions.ts";
import { FakeConnection } from "./fake-connection.ts";

const subjects = new Subjects("tidegate", "shop", "0123456789abcdef");
const other = "tidegate.v1.shop.fedcba9876543210";
const frames: Uint8Array[] = [];
const refused: string[] = [];
let connection: FakeConnection;
let subscriptions: Subscriptions;

beforeEach(() => {
  frames.length = 0;
  refused.length = 0;
  connection = new FakeConnection();
  subscriptions = new Subscriptions(connection, subjects, {
    frame: (frame) => frames.push(frame),
    refused: (subject, error) => refused.push(`${subject}: ${error}`),
  });
  subscriptions.listen();
});

describe("the subscriptions", () => {
  it("are for frames to all, and for frames to this replica", () => {
    expect([...connection.subscribed.keys()]).toEqual([subjects.all, subjects.mine]);
    connection.deliver(subjects.all, other, Buffer.from("all"));
    connection.deliver(subjects.mine, subjects.mine, Buffer.from("mine"));
    expect(frames.map((frame) => Buffer.from(frame).toString())).toEqual(["all", "mine"]);
    expect(subscriptions.isIncomplete).toBe(false);
  });

  it("include this replica's own subject: another process may use its id", () => {
    connection.deliver(subjects.all, subjects.own, Buffer.from("echo"));
    expect(frames).toHaveLength(1);
  });

  it("deliver copies of the client's buffers", () => {
    const chunk = Buffer.from("-frame-");
    connection.deliver(subjects.all, other, chunk.subarray(1, 6));
    chunk.fill(0);
    expect(Buffer.from(frames[0]!).toString()).toBe("frame");
    expect(frames[0]!.buffer.byteLength).toBe(5);
  });

  it("cut frames that are too long, however much a server lets pass", () => {
    connection.deliver(subjects.all, other, Buffer.alloc(65_535));
    connection.deliver(subjects.all, other, Buffer.alloc(1_048_576));
    expect(frames.map((frame) => frame.buffer.byteLength)).toEqual([65_535, 65_536]);
  });

  it("can be refused and revoked, which is reported and can be tried again", () => {
    connection.refuse(subjects.mine);
    expect(subscriptions.isIncomplete).toBe(true);
    expect(refused).toEqual([`${subjects.mine}: Error: PERMISSIONS_VIOLATION`]);
    subscriptions.listen();
    expect(subscriptions.isIncomplete).toBe(false);
    expect(connection.subscribed.size).toBe(2);
  });

  it("are refused by a connection that takes nothing any more", async () => {
    await connection.close();
    subscriptions.listen();
    expect(refused).toHaveLength(2);
    expect(refused[0]).toContain("CONNECTION_CLOSED");
  });

  it("end at once, and deliver nothing after that", () => {
    const callback = connection.subscribed.get(subjects.all)!;
    subscriptions.stop();
    expect(connection.subscribed.size).toBe(0);
    callback(null, { subject: other, data: Buffer.from("late") });
    expect(frames).toEqual([]);
  });
});
