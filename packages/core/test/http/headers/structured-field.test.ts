import { parseList } from "structured-headers";
import { describe, expect, it } from "vitest";
import {
  fieldBytes,
  fieldString,
  isFieldText,
  memberNames,
} from "../../../src/http/headers/structured-field.ts";

describe("text in a field", () => {
  it.each(['a"b', "back\\slash", "", " ~!", '"'])(
    "is quoted so that %j reads back (H2)",
    (text) => {
      expect(parseList(fieldString(text))[0]?.[0]).toBe(text);
    },
  );

  it.each(["é", "a\nb", "\t", "\u007f", "漢"])("cannot be %j (H2)", (text) => {
    expect(isFieldText(text)).toBe(false);
  });

  it("is found again as the names of a list's members", () => {
    expect(memberNames('"a, b";q=1;w=2, "c\\"d";q=3,"e";pk=:AQID:')).toEqual([
      '"a, b"',
      '"c\\"d"',
      '"e"',
    ]);
    expect(memberNames('10;w=1, 20;x="y"')).toEqual([]);
    expect(memberNames('"open')).toEqual(['"open']);
  });

  it("is bytes with padding and no stray bits (H6)", () => {
    expect(fieldBytes(Uint8Array.of(1, 2, 3, 4))).toBe(":AQIDBA==:");
    expect(fieldBytes(new Uint8Array([9, 1, 2, 3]).subarray(1))).toBe(":AQID:");
  });
});
