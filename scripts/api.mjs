/**
 * The API report of every entry of every published package: the public surface as one committed
 * text file, so that a change of the surface is visible in review.
 *
 * With `--update` the reports are written; without it, a difference is a failure.
 */

import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import { textOf } from "./file-text.mjs";
import { ROOT, say } from "./steps.mjs";
import { publishedPackages } from "./workspaces.mjs";

const update = process.argv.includes("--update");

for (const { folder, manifest } of publishedPackages()) {
  const entries = Object.entries(manifest.exports).filter(([, to]) => typeof to === "object");
  for (const [entry, conditions] of entries) report(folder, entry, declarationsOf(conditions));
  const expected = new Set(entries.map(([entry]) => `${reportName(folder, entry)}.api.md`));
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".api.md") || expected.has(file)) continue;
    say(`${join(folder, file).slice(ROOT.length)} belongs to no entry of the package: remove it`);
    process.exitCode = 1;
  }
}

function reportName(folder, entry) {
  return [basename(folder), ...entry.split("/").slice(1)].join("-");
}

/**
 * The declarations of the entry's source: the extractor cannot read packed ones where a function
 * has a namespace.
 */
function declarationsOf({ "@tidegate/source": source }) {
  return source.replace(/^\.\/src\/(.*)\.ts$/, "./dist/unbundled/$1.d.ts");
}

function report(folder, entry, typings) {
  const reportFileName = reportName(folder, entry);
  const file = `${join(folder, reportFileName)}.api.md`;
  const before = textOf(file);
  const { succeeded, apiReportChanged } = Extractor.invoke(
    configOf(folder, typings, reportFileName),
    {
      localBuild: update,
      showVerboseMessages: false,
      messageCallback: (message) => {
        const quiet = message.messageId.startsWith("console-") || isInMainEntry(message, folder);
        if (quiet) message.logLevel = ExtractorLogLevel.None;
      },
    },
  );
  const name = file.slice(ROOT.length);
  if (apiReportChanged && !update) {
    say(`${name} is not what the sources export:`);
    showDifference(before, textOf(join(folder, "temp", `${reportFileName}.api.md`)));
    // The extractor prints this on the console, which is silenced, and does not count it as a
    // failure.
    process.exitCode = 1;
  } else if (apiReportChanged) {
    say(`${name} is written`);
  }
  if (!succeeded) process.exitCode = 1;
}

/** An entry may use a type of the package's main entry without exporting it again. */
function isInMainEntry({ messageId, text }, folder) {
  if (messageId !== "ae-forgotten-export") return false;
  const symbol = /The symbol "(\w+)"/.exec(text)?.[1];
  const main = textOf(join(folder, `${basename(folder)}.api.md`));
  return new RegExp(`^export .*\\b${symbol}\\b`, "m").test(main);
}

function configOf(folder, typings, reportFileName) {
  const severity = (logLevel) => ({ logLevel, addToApiReportFile: false });
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, "package.json"),
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, typings),
      newlineKind: "lf",
      compiler: {
        overrideTsconfig: {
          // Declarations of frameworks are not checked here.
          compilerOptions: {
            ...{ target: "es2022", module: "nodenext", strict: true, types: [] },
            skipLibCheck: true,
          },
          files: [typings],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName,
        reportFolder: folder,
        reportTempFolder: join(folder, "temp"),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: severity("error") },
        extractorMessageReporting: {
          default: severity("error"),
          "ae-missing-release-tag": severity("none"),
          "ae-undocumented": severity("none"), // The report says so where it is the case.
        },
        tsdocMessageReporting: { default: severity("none") },
      },
    },
  });
}

/** The lines that only one of the two has. */
function showDifference(before, after) {
  const old = new Set(before.split("\n"));
  const now = new Set(after.split("\n"));
  for (const line of old) if (!now.has(line)) say(`- ${line}`);
  for (const line of now) if (!old.has(line)) say(`+ ${line}`);
}
