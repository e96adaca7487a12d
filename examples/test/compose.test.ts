/**
 * The containers: what compose.yaml and the Dockerfile say exists, and the server reads it.
 */

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly expose?: readonly string[];
  readonly depends_on?: readonly string[];
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = `${ROOT}examples/docker-compose`;
const SERVER = "examples/three-processes/server.mjs";

const text = (file: string): string => readFileSync(file, "utf8");
const compose = parse(text(`${FOLDER}/compose.yaml`), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const { nats, ...replicas } = compose.services;
const variables = [SERVER, "examples/serving.mjs"].flatMap((file) =>
  Array.from(text(ROOT + file).matchAll(/process\.env\.(\w+)/g), ([, name]) => name),
);

describe("docker-compose", () => {
  it("has three replicas beside a NATS server", () => {
    expect(Object.keys(replicas)).toEqual(["one", "two", "three"]);
    for (const { depends_on } of Object.values(replicas)) expect(depends_on).toEqual(["nats"]);
  });

  it("sets every variable that the server reads, and no other", () => {
    for (const { environment = {} } of Object.values(replicas)) {
      expect(Object.keys(environment).sort()).toEqual([...new Set(variables)].sort());
    }
  });

  it("publishes ports of their own, at which the replicas listen for others", () => {
    const published = Object.values(replicas).map(({ ports = [], environment }) => {
      const [host, outside, inside] = ports[0]?.split(":") ?? [];
      expect([ports.length, host, inside]).toEqual([1, "127.0.0.1", environment?.["PORT"]]);
      expect(environment?.["HOST"]).toBe("0.0.0.0");
      return outside;
    });
    expect(new Set(published).size).toBe(3);
    const page = text(`${FOLDER}/README.md`);
    for (const port of published) expect(page).toContain(`http://127.0.0.1:${port}`);
  });

  it("leads the replicas to its NATS server", () => {
    for (const { environment } of Object.values(replicas)) {
      const { protocol, hostname, port } = new URL(environment?.["NATS_URL"] ?? "");
      expect([protocol, hostname]).toEqual(["nats:", "nats"]);
      expect(nats?.expose).toEqual([port]);
    }
  });

  it("builds from files that are there", () => {
    for (const { build } of Object.values(replicas)) {
      expect(resolve(FOLDER, build?.context ?? "")).toBe(resolve(ROOT));
      expect(existsSync(ROOT + build?.dockerfile)).toBe(true);
    }
    const command = /^CMD (\[.*\])$/m.exec(text(`${FOLDER}/Dockerfile`))?.[1] ?? "[]";
    expect(JSON.parse(command)).toEqual(["node", SERVER]);
    expect(text(`${FOLDER}/README.md`)).toContain("-f examples/docker-compose/compose.yaml up");
  });
});
