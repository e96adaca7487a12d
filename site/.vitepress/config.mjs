/**
 * The site as VitePress builds it, from what scripts/docs/site.mjs has written into `temp`.
 */

import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { anchorOf } from "../../scripts/docs/links.mjs";

const sidebar = JSON.parse(readFileSync(new URL("../temp/sidebar.json", import.meta.url), "utf8"));
const { repository } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** Water below a gate. */
const ICON =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='#0b6e75'/>" +
  "<path d='M7 20q4.5-5 9 0t9 0M16 6v9' fill='none' stroke='#fff' stroke-width='3' stroke-linecap='round'/></svg>";

export default defineConfig({
  title: "tidegate",
  description: "Rate limits for Node.js services that run as many processes",
  lang: "en",
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  // Where the site is a folder of its host, as that of a repository on GitHub Pages.
  base: process.env.SITE_BASE ?? "/",
  srcDir: "temp",
  outDir: "dist",
  cacheDir: ".cache",
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: "github-light", dark: "github-dark" },
  },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: {
      provider: "local",
      // Names in code are long: at the usual distance, `onPartition` would find "partition".
      options: { miniSearch: { searchOptions: { fuzzy: 0.1, prefix: true } } },
    },
    nav: [
      { text: "Guides", link: "/guides/getting-started", activeMatch: "/guides/" },
      { text: "Reference", link: "/reference/options", activeMatch: "/(reference|api)/" },
      { text: "Examples", link: "/examples/", activeMatch: "/examples/" },
    ],
    socialLinks: [{ icon: "github", link: repository.url.replace(/^git\+|\.git$/g, "") }],
  },
});
