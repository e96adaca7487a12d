// @ts-check

import { createLimiter, fixedWindow, SECOND } from "@tidegate/core";
import { ipKeyGenerator } from "@tidegate/express";
import express from "express";
import { HOST, PORT, serving } from "../../serving.mjs";

const limiter = createLimiter({
  name: "api",
  policy: fixedWindow({ limit: 5, windowMs: 60 * SECOND }),
});

const app = express();
app.get("/", (request, response) => {
  const { allowed, remaining, retryAfterMs } = limiter.check(ipKeyGenerator(request.ip));
  if (allowed) {
    response.set("X-RateLimit-Remaining", String(remaining));
    response.type("text").send("Hello\n");
  } else {
    response.set("Retry-After", String(Math.ceil(retryAfterMs / 1_000)));
    response.status(429).type("text").send("Too many requests\n");
  }
});

serving(app.listen(PORT, HOST));
