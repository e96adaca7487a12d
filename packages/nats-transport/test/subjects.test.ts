import { describe, expect, it } from "vitest";
import { Subjects, subjectPrefix } from "../src/subjects.ts";

const REPLICA = "0123456789abcdef";

function of(namespace: string): Subjects {
  return new Subjects("tidegate", namespace, REPLICA);
}

describe("subjects", () => {
  it("have the namespace before the replica, below one wildcard for permissions", () => {
    expect(of("shop")).toMatchObject({
      everything: "tidegate.v1.shop.>",
      all: "tidegate.v1.shop.*",
      own: `tidegate.v1.shop.${REPLICA}`,
      mine: `tidegate.v1.shop.to.${REPLICA}`,
    });
    expect(of("shop").to("other")).toBe("tidegate.v1.shop.to.other");
  });

  it("hold any namespace in one token, and different ones in different tokens", () => {
    const names = ["shop", "a.b", "a b", "a*", ">", "%", "%20", " ", "", "ü", "a%2Eb", "to", "-_"];
    const tokens = names.map((name) => of(name).everything.slice("tidegate.v1.".length, -2));
    expect(new Set(tokens).size).toBe(names.length);
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_%-]+$/);
    expect(of("a.b c").all).toBe("tidegate.v1.a%2Eb%20c.*");
  });

  it("are told from those of other namespaces", () => {
    const subjects = of("shop");
    expect(subjects.includes(subjects.mine)).toBe(true);
    expect(subjects.includes("tidegate.v1.shopping.x")).toBe(false);
  });
});

describe("the subject option", () => {
  it("is words with dots between them, 'tidegate' when absent", () => {
    expect(subjectPrefix(undefined)).toBe("tidegate");
    expect(subjectPrefix("acme.limits-1")).toBe("acme.limits-1");
  });

  it.each(["", ".", "a.", ".a", "a..b", "a b", "a.*", ">", "$SYS", "_INBOX.x", "a".repeat(129), 7])(
    "refuses %j",
    (given) => {
      expect(() => subjectPrefix(given)).toThrow(
        /^'subject' must be 1 to 8 words of letters, digits, '_' and '-' with dots between them, got /,
      );
    },
  );

  it("has at most 8 words", () => {
    expect(subjectPrefix("a.b.c.d.e.f.g.h")).toBe("a.b.c.d.e.f.g.h");
    expect(() => subjectPrefix("a.b.c.d.e.f.g.h.i")).toThrow("'subject' must be");
  });
});
