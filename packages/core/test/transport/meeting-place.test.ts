import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { meetingPlace } from "../../src/transport/meeting-place.ts";

vi.mock("node:os", async (original) => ({
  ...(await original<typeof import("node:os")>()),
  userInfo: () => {
    throw new Error("ENOENT: no such user");
  },
}));

const own = `tidegate-${process.getuid?.()}`;

describe("the place where processes of one machine meet", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tg-"));
    vi.stubEnv("XDG_RUNTIME_DIR", folder);
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A folder whose path has so many bytes. */
  function longFolder(bytes: number): string {
    const long = join(folder, "x".repeat(bytes - Buffer.byteLength(join(folder, "/"))));
    mkdirSync(long, { recursive: true });
    vi.stubEnv("XDG_RUNTIME_DIR", long);
    return long;
  }

  it("exists for users without a name, as in containers", () => {
    expect(dirname(meetingPlace("shop"))).toBe(join(folder, own));
  });

  it("is another one for another namespace, also where the path must be short", () => {
    expect(meetingPlace("shop")).not.toBe(meetingPlace("blog"));
    longFolder(103 - `/${own}/`.length - 12);
    expect(meetingPlace("shop")).not.toBe(meetingPlace("blog"));
    expect(meetingPlace("shop")).toBe(meetingPlace("shop"));
  });

  it("lies in its folder however long that is, or is refused with what to do", () => {
    let refused = 0;
    for (let bytes = 50; bytes <= 130; bytes++) {
      const long = longFolder(bytes);
      try {
        const path = meetingPlace("shop");
        expect(dirname(path)).toBe(join(long, own));
        expect(Buffer.byteLength(path)).toBeLessThanOrEqual(103);
      } catch (error) {
        refused++;
        expect(String(error)).toContain("set XDG_RUNTIME_DIR to a shorter folder");
        expect(readdirSync(long)).toEqual([]);
      }
    }
    expect(refused).toBe(130 - (103 - `/${own}/`.length - 12));
  });

  it("is the system's folder for temporary files when XDG_RUNTIME_DIR is empty or relative", () => {
    for (const value of ["", ".", "run/user"]) {
      vi.stubEnv("XDG_RUNTIME_DIR", value);
      expect(dirname(meetingPlace("shop"))).toBe(join(tmpdir(), own));
    }
  });

  it("is in /tmp when the folder for temporary files is relative too, wherever a process starts", () => {
    vi.stubEnv("XDG_RUNTIME_DIR", "");
    for (const value of ["rel", ".", "./tmp"]) {
      vi.stubEnv("TMPDIR", value);
      expect(dirname(meetingPlace("shop"))).toBe(join("/tmp", own));
    }
  });

  it("is created with all folders above it, or refused at once where none can be created", () => {
    vi.stubEnv("XDG_RUNTIME_DIR", join(folder, "run", "user"));
    expect(dirname(meetingPlace("shop"))).toBe(join(folder, "run", "user", own));
    writeFileSync(join(folder, "file"), "");
    for (const value of ["/proc", "/proc/run/user", join(folder, "file")]) {
      vi.stubEnv("XDG_RUNTIME_DIR", value);
      expect(() => meetingPlace("shop")).toThrow("cannot be created");
    }
  });

  it("is refused when other users can enter it, or when it is not a folder", () => {
    mkdirSync(join(folder, own));
    chmodSync(join(folder, own), 0o755);
    expect(() => meetingPlace("shop")).toThrow("that no other user can enter");
    rmSync(join(folder, own), { recursive: true });
    writeFileSync(join(folder, own), "");
    expect(() => meetingPlace("shop")).toThrow(join(folder, own));
  });
});
