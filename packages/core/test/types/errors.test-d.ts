import { expectTypeOf, test } from "vitest";
import { type ERROR_CODES, TidegateError, type TidegateErrorCode } from "../../src/base/errors.ts";

test("an error carries one of the known codes, not just any string", () => {
  expectTypeOf<TidegateError["code"]>().toEqualTypeOf<TidegateErrorCode>();
  expectTypeOf<string>().not.toExtend<TidegateErrorCode>();
  // @ts-expect-error: a code that is in no table
  new TidegateError("TIDEGATE_NO_SUCH_CODE", "never compiled");
});

test("the table has one entry for every code and no other", () => {
  expectTypeOf<keyof typeof ERROR_CODES>().toEqualTypeOf<TidegateErrorCode>();
});
