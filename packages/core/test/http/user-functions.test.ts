import { describe, expect, it } from "vitest";
import { isThenable, run, type Steps } from "../../src/http/user-functions.ts";

function* sumOf(...answers: readonly unknown[]): Steps<number> {
  let sum = 0;
  for (const answer of answers) sum += isThenable(answer) ? yield answer : (answer as number);
  return sum;
}

describe("steps", () => {
  it("are done in the same tick where no answer comes later", () => {
    expect(run(sumOf(1, 2, 3))).toBe(6);
  });

  it("wait for answers that come later, in their order", async () => {
    const sum = run(sumOf(1, Promise.resolve(2), 3, Promise.resolve(4)));
    expect(sum).toBeInstanceOf(Promise);
    expect(await sum).toBe(10);
  });

  it("throw at once what is thrown before the first wait", () => {
    const answer = {
      [Symbol.toPrimitive]: () => {
        throw new Error("at once");
      },
    };
    expect(() => run(sumOf(answer))).toThrow("at once");
  });

  it("can catch what an answer was rejected with, and reject with it otherwise", async () => {
    const failed = Promise.reject(new Error("later"));
    await expect(run(sumOf(failed))).rejects.toThrow("later");
    const steps = (function* (): Steps<string> {
      try {
        return yield failed;
      } catch (error) {
        return `caught ${(error as Error).message}`;
      }
    })();
    expect(await run(steps)).toBe("caught later");
  });
});
