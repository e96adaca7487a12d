import { HTTP_CONTRACT } from "@tidegate/testkit/http";
import { describe, it } from "vitest";
import { KOA_VERSIONS } from "./koa-site.ts";

describe.each(KOA_VERSIONS)("$name", (framework) => {
  it.each(HTTP_CONTRACT)("keeps $ids: $title", async (promise) => {
    await promise.run(framework);
  });
});
