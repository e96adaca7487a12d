/**
 * Has TypeDoc name each entry by what users import: `@tidegate/core/http`, and not by its file.
 */

import { Converter } from "typedoc";

const FILE = /^(?:packages\/)?([^/]+)\/src(?:\/(.+))?$/;

/** Called by TypeDoc, which finds this file in its options. */
export function load({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const entry of project.children ?? []) {
      const [, folder, name] = FILE.exec(entry.name) ?? [];
      entry.name = ["@tidegate", folder, name].filter((part) => part !== undefined).join("/");
    }
  });
}
