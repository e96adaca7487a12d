/**
 * Names in code that stands in a sentence: of options, members, functions, headers, codes and events.
 */

const FILE_NAME = /\.(md|json|ya?ml|conf|[mc]?[jt]s)$/;
/** Commands, addresses and paths, and patterns: what they name is no name of ours. */
const NO_CODE =
  /^(npm|npx|node|git|docker|curl|nats|kill|sh) |:\/\/|^[.~]?\/|^[\w.-]+\/|\*|\.[mc]?[jt]s\b/;
const TEXT = /"[^"]*"|'[^']*'/g;
/** What is called, what stands behind a dot, keys of objects and options with a value, headers and codes. */
const IN_CODE = [
  /(?<![\w.])([A-Za-z_$]\w*)\(/g,
  /[\w)\]]\.([A-Za-z_$]\w*)/g,
  /(?:^|[{,(]\s*)([A-Za-z_$]\w*)\s*(?=:\s)/g,
  /(?:(?<=^\{.*),|^\{)\s*(\w+)\s*(?=[,}])/g,
  /^([A-Z]\w*(?:-\w+)+): /g,
  /\b([A-Z]+(?:_[A-Z]+)+)\b/g,
];

export function namesOf(code: string): string[] {
  const name = /^(tidegate:\w+|[A-Za-z][\w.-]*)(: [^(:]*|)$/.exec(code)?.[1];
  if (name !== undefined) {
    if (FILE_NAME.test(name)) return [];
    return /[:-]/.test(name) ? [name] : name.split(".").filter((part) => part !== "");
  }
  if (NO_CODE.test(code)) return [];
  const bare = code.replace(TEXT, '""');
  return IN_CODE.flatMap((pattern) =>
    Array.from(bare.matchAll(pattern), ([, found]) => found ?? ""),
  );
}
