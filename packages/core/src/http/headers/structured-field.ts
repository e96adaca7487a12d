/**
 * The forms of Structured Fields (RFC 9651) that rate-limit fields use.
 *
 * One wrong character makes a reader drop the whole field. So invalid text is refused when a
 * limiter is made, and unchecked text is never joined into a field.
 */

const STRING = /^[\x20-\x7e]*$/;

/** Whether text can be a String. */
export function isFieldText(text: unknown): text is string {
  return typeof text === "string" && STRING.test(text);
}

/** A String, quoted. The text must be printable ASCII. */
export function fieldString(text: string): string {
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`;
}

/** A Byte Sequence. */
export function fieldBytes(bytes: Uint8Array): string {
  return `:${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}:`;
}

/** The quoted names at the start of a list's members, as written. */
export function memberNames(list: string): string[] {
  const names: string[] = [];
  let isStart = true;
  for (let index = 0; index < list.length; index++) {
    const char = list[index];
    if (char === '"') {
      const end = endOfString(list, index);
      if (isStart) names.push(list.slice(index, end));
      index = end - 1;
      isStart = false;
    } else if (char === ",") isStart = true;
    else if (char !== " " && char !== "\t") isStart = false;
  }
  return names;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return Math.min(index + 1, text.length);
}
