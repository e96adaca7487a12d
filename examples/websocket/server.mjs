// @ts-check
// Messages of a WebSocket: bursts of 5 and one a second, by client and not by connection.

import { createServer } from "node:http";
import { concurrency, createLimiter, tokenBucket } from "@tidegate/core";
import { addressKey } from "@tidegate/core/http";
import { WebSocketServer } from "ws";
import { HOST, PORT, serving } from "../serving.mjs";

const POLICY_VIOLATION = 1008;
/** So many messages that were refused, and a client that does not listen is sent away. */
const REFUSED_MAX = 20;

const messages = createLimiter({
  name: "messages",
  policy: tokenBucket({ capacity: 5, refillPerSecond: 1 }),
});
const connections = createLimiter({ name: "connections", policy: concurrency({ limit: 3 }) });

const server = createServer((_request, response) => {
  response.writeHead(426).end("Connect with a WebSocket\n");
});
const sockets = new WebSocketServer({ server, maxPayload: 16_384 });
sockets.on("connection", (socket, request) => {
  socket.on("error", () => socket.terminate());
  const client = addressKey(request.socket.remoteAddress ?? "", 56);
  if (client === null || !connections.check(client).allowed) {
    socket.close(POLICY_VIOLATION, "too many connections");
    return;
  }
  socket.once("close", () => connections.release(client));
  let refused = 0;
  socket.on("message", (data) => {
    const { allowed, remaining, retryAfterMs } = messages.check(client);
    if (allowed) {
      socket.send(JSON.stringify({ echo: String(data), remaining }));
    } else if (++refused <= REFUSED_MAX) {
      socket.send(JSON.stringify({ error: "slow down", retryAfterMs }));
    } else {
      socket.close(POLICY_VIOLATION, "too many messages");
    }
  });
});

serving(server.listen(PORT, HOST), () => {
  for (const socket of sockets.clients) socket.terminate();
});
