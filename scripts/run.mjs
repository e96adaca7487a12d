/**
 * The entry point of every npm script: `node scripts/run.mjs <command>`.
 *
 * It needs no installed packages, because a fresh clone has none. It also runs on Node versions
 * that are too old for the rest, to report that. Everything else is loaded after this check.
 */

const OLDEST_NODE = [20, 19];

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  console.error(
    `tidegate needs Node ${OLDEST_NODE.join(".")} or newer, and this is Node ${process.versions.node}.\n` +
      "Install a newer one (https://nodejs.org), check with `node --version`, and run this again.",
  );
  process.exitCode = 1;
} else {
  const [name, ...rest] = process.argv.slice(2);
  const { runCommand } = await import("./commands.mjs");
  process.exitCode = await runCommand(name, rest);
}
