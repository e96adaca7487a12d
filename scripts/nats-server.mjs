/**
 * Finds the nats-server for integration tests, and downloads one if there is none.
 *
 * It tries in this order: the path in NATS_SERVER, the folders of PATH, an earlier download, and
 * Debian's package, downloaded and unpacked into a folder that git ignores. Nothing is installed,
 * no service is started, and no rights are needed. Run as a program, it prints the path, or the
 * problem.
 */

import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { argv, env, platform, stderr } from "node:process";
import { pathToFileURL } from "node:url";
import { execute, ROOT, say } from "./steps.mjs";

const NAME = platform === "win32" ? "nats-server.exe" : "nats-server";
/** Folders of system packages that may be missing in PATH. */
const SYSTEM_FOLDERS = platform === "win32" ? [] : ["/usr/local/sbin", "/usr/sbin"];
const CACHE = join(ROOT, ".cache");
/** apt would download as a user that cannot write to our folder. */
const APT_OPTIONS = [
  "APT::Sandbox::User=root",
  "Acquire::http::Timeout=20",
  "Acquire::Retries=1",
].flatMap((option) => ["-o", option]);
const FETCHED = join(CACHE, "nats-server", NAME);

/** The path of a working nats-server; throws an error that says how to get one. */
export async function findNatsServer() {
  const given = env.NATS_SERVER;
  if (given !== undefined && given !== "") {
    if (await runs(given)) return given;
    throw new Error(`NATS_SERVER is '${given}', and that is no nats-server that runs.`);
  }
  const folders = [...(env.PATH ?? "").split(delimiter), ...SYSTEM_FOLDERS];
  for (const path of [...folders.map((folder) => join(folder, NAME)), FETCHED]) {
    if (isProgram(path) && (await runs(path))) return path;
  }
  const trouble = await fetchFromDebian();
  if (trouble === undefined && (await runs(FETCHED))) return FETCHED;
  throw new Error(
    "The integration tests start a nats-server, and there is none: NATS_SERVER is not set, PATH\n" +
      "leads to none, and Debian's package could not be fetched:\n\n" +
      `${(trouble ?? "what it holds does not run here").trim().replace(/^/gm, "  ")}\n\n` +
      "Any version from 2.9 on will do: `apt-get install nats-server`, `brew install nats-server`,\n" +
      "or https://github.com/nats-io/nats-server/releases. Put it into a folder of PATH, or set\n" +
      "NATS_SERVER to its path.",
  );
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function runs(path) {
  const { code, output } = await execute(path, ["--version"]);
  return code === 0 && output.includes("nats-server");
}

/** Downloads the program to FETCHED, or returns the problem. */
async function fetchFromDebian() {
  mkdirSync(CACHE, { recursive: true });
  // Two test files may download it at the same time: each has a folder, and the last one is kept.
  const folder = mkdtempSync(join(CACHE, "nats-server-"));
  try {
    const downloaded = await download(folder);
    if (downloaded !== undefined) return downloaded;
    const archive = readdirSync(folder).find((file) => file.endsWith(".deb"));
    if (archive === undefined) return "apt-get left no package behind";
    const unpacked = await execute("dpkg-deb", ["-x", archive, "unpacked"], { cwd: folder });
    if (unpacked.code !== 0) return unpacked.output;
    const places = ["usr/sbin", "usr/bin"].map((place) => join(folder, "unpacked", place, NAME));
    const program = places.find(isProgram);
    if (program === undefined) return "the package holds no nats-server";
    mkdirSync(join(CACHE, "nats-server"), { recursive: true });
    renameSync(program, FETCHED);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Downloads with the machine's package lists, or with fresh ones in the folder. */
async function download(folder) {
  const apt = (...args) =>
    execute("apt-get", ["-qq", ...APT_OPTIONS, ...args], { cwd: folder, env: { LC_ALL: "C" } });
  const first = await apt("download", "nats-server");
  if (first.code === 0) return undefined;
  const [lists, cache] = [join(folder, "lists"), join(folder, "archives")];
  mkdirSync(join(lists, "partial"), { recursive: true });
  mkdirSync(join(cache, "archives", "partial"), { recursive: true });
  const own = ["-o", `Dir::State::Lists=${lists}`, "-o", `Dir::Cache=${cache}`];
  const updated = await apt(...own, "update");
  const second = await apt(...own, "download", "nats-server");
  if (second.code === 0) return undefined;
  return [...new Set([first, updated, second].map(({ output }) => output.trim()))].join("\n");
}

if (argv[1] !== undefined && pathToFileURL(argv[1]).href === import.meta.url) {
  await findNatsServer().then(say, ({ message }) => {
    stderr.write(`${message}\n`);
    process.exitCode = 1;
  });
}
