import { HTTP_CONTRACT } from "@tidegate/testkit/http";
import { describe, it } from "vitest";
import { FASTIFY_5 } from "./fastify-site.ts";

describe(FASTIFY_5.name, () => {
  it.each(HTTP_CONTRACT)("keeps $ids: $title", async (promise) => {
    await promise.run(FASTIFY_5);
  });
});
