// @ts-check
// A server of node:http whose requests pass an adapter of its own.

import { createServer } from "node:http";
import { HOST, PORT, serving } from "../serving.mjs";
import { rateLimit } from "./rate-limit.mjs";

const limited = rateLimit({ name: "api", limit: 5 });

const server = createServer((request, response) => {
  limited(request, response, (error) => {
    if (error === undefined) response.end("Hello\n");
    else response.writeHead(500).end();
  });
});

serving(server.listen(PORT, HOST), () => limited.close());
