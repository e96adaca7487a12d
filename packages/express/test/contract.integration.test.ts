import { HTTP_CONTRACT } from "@tidegate/testkit/http";
import { describe, it } from "vitest";
import { EXPRESS_VERSIONS } from "./express-site.ts";

describe.each(EXPRESS_VERSIONS)("$name", (framework) => {
  it.each(HTTP_CONTRACT)("keeps $ids: $title", async (promise) => {
    await promise.run(framework);
  });
});
