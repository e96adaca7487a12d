/**
 * All checks that do not run the code, as one list.
 *
 * With `--update`, tools write what they can: formatting, API reports, generated pages. Without it,
 * a difference is a failure, and the failure names this command.
 */

import { checkCodeBlocks } from "./docs/code-blocks.mjs";
import { codePages } from "./docs/code-pages.mjs";
import { checkLinks } from "./docs/links.mjs";
import { optionPage } from "./docs/option-page.mjs";
import { checkSite } from "./docs/site.mjs";
import { checkPackedSize } from "./packed-size.mjs";
import { execute, executeTool, say, step } from "./steps.mjs";
import { publishedPackages } from "./workspaces.mjs";

const UPDATE = "--update";

/**
 * The answer to arguments with which nothing is built or checked; otherwise undefined.
 *
 * @returns {{ text: string, code: number } | undefined}
 */
export function answerToCheck(args) {
  if (args.includes("--help") || args.includes("-h")) {
    const titles = checks(false).map(([title]) => `  ${title}`);
    const head = `npm run check [-- ${UPDATE}] builds every package, then checks:`;
    return { text: [head, ...titles].join("\n"), code: 0 };
  }
  const unknown = args.find((arg) => arg !== UPDATE);
  if (unknown === undefined) return undefined;
  const text = `'${unknown}' is not an option of check: it takes ${UPDATE}, --help or nothing.`;
  return { text, code: 1 };
}

/** Runs every check and returns how many failed. */
export async function runChecks(args) {
  const update = args.includes(UPDATE);
  let failed = 0;
  for (const [title, work] of checks(update)) {
    if (!(await step(title, work))) failed += 1;
  }
  if (failed > 0 && !update) {
    say(`Formatting and generated files are brought up to date by: npm run check -- ${UPDATE}`);
  }
  return failed;
}

/** The checks by their titles, in the order in which they run. */
export function checks(update) {
  const perPackage = publishedPackages().flatMap(({ name, folder }) => [
    [
      `publint: ${name}`,
      () => executeTool("publint/src/cli.js", ["--strict", "--pack=npm"], { cwd: folder }),
    ],
    [`types as consumers resolve them: ${name}`, () => attw(folder)],
  ]);
  return [
    [
      "format and lint",
      () =>
        executeTool("@biomejs/biome/bin/biome", [
          "check",
          "--error-on-warnings",
          ...(update ? ["--write"] : []),
        ]),
    ],
    ["types of the scripts", () => executeTool("typescript/bin/tsc", ["--project", "scripts"])],
    ["types of the examples", () => executeTool("typescript/bin/tsc", ["--project", "examples"])],
    ["dead code and dependencies", () => executeTool("knip/bin/knip.js", [])],
    ...perPackage,
    ["packed packages stay small", checkPackedSize],
    ["packed declarations compile", packedDeclarations],
    [
      "API reports",
      () => execute(process.execPath, ["scripts/api.mjs", ...(update ? [UPDATE] : [])]),
    ],
    ["docs: pages of codes", () => codePages(update)],
    ["docs: page of options", () => optionPage(update)],
    ["docs: code blocks compile", checkCodeBlocks],
    ["docs: links lead somewhere", checkLinks],
    ["docs: every page is on the site", checkSite],
  ];
}

/**
 * Users without `skipLibCheck` check our declarations; errors in other packages' declarations are
 * not ours.
 */
async function packedDeclarations() {
  const args = ["--project", "scripts/packed-declarations.json", "--pretty", "false"];
  const { output } = await executeTool("typescript/bin/tsc", args);
  const ours = output.split("\n").filter((line) => !/^(node_modules\/.*|\s.*)?$/.test(line));
  return { code: ours.length === 0 ? 0 : 1, output: ours.join("\n") };
}

function attw(folder) {
  return executeTool("@arethetypeswrong/cli/dist/index.js", ["--pack", "."], { cwd: folder });
}
