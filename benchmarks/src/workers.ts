/**
 * Where the modules are that processes of the benchmarks run.
 *
 * A copy of all of them may lie beside the packages of another commit (`against/other-commit.ts`). It is
 * the same code, which finds other packages there.
 */

const OWN = new URL("./", import.meta.url).href;

/** A module by its path in the folder of workers: in this one, unless another is given. */
export function workerAt(path: string, folder: string = OWN): URL {
  return new URL(path, folder);
}
