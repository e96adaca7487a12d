// @ts-check
// Without a framework: a limiter, and what to make of its decision.

import { createServer } from "node:http";
import { createLimiter, fixedWindow, MINUTE } from "@tidegate/core";
import { addressKey, fieldsOf } from "@tidegate/core/http";
import { HOST, PORT, serving } from "../serving.mjs";

const limiter = createLimiter({
  name: "api",
  policy: fixedWindow({ limit: 5, windowMs: MINUTE }),
});

const server = createServer((request, response) => {
  // IPv6 by its network of 56 bits, since one customer has a whole one.
  const key = addressKey(request.socket.remoteAddress ?? "", 56);
  if (key === null) {
    response.destroy(); // the client has gone
    return;
  }
  const decision = limiter.check(key);
  for (const [name, value] of fieldsOf(decision, limiter, "legacy"))
    response.setHeader(name, value);
  if (!decision.allowed) {
    response.setHeader("Cache-Control", "no-store");
    response.writeHead(429).end("Too many requests\n");
    return;
  }
  response.end("Hello\n");
});

serving(server.listen(PORT, HOST));
