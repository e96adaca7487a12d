/**
 * The usual theme, with our colours and with the three imports beside the first sentence.
 */

import DefaultTheme from "vitepress/theme";
import { h } from "vue";
import "./style.css";

const FRAMEWORKS = ["express", "koa", "fastify"];

function imports() {
  const lines = FRAMEWORKS.map((framework) => [
    h("em", "import"),
    " { rateLimit } ",
    h("em", "from"),
    " ",
    h("b", `"@tidegate/${framework}"`),
    "\n",
  ]);
  return h("pre", { class: "imports" }, lines);
}

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "home-hero-image": imports }),
};
