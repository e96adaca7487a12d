/**
 * What can be seen of a mistake while it is made: who called.
 */

const FRAMES = 64;

/** Whether the code that runs now was called by somebody whose place in the stack looks like `caller`. */
export function isCalledBy(caller: RegExp): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return caller.test(stack);
}
