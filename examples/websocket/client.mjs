// @ts-check
// Sends six messages at once, shows what comes back, and one more when it may.

import { WebSocket } from "ws";

const socket = new WebSocket(process.argv[2] ?? "ws://127.0.0.1:3000");
socket.on("open", () => {
  for (const letter of "abcdef") socket.send(letter);
});
socket.on("message", (data) => {
  console.log(String(data));
  const { echo, retryAfterMs } = JSON.parse(String(data));
  if (echo === "again") socket.close();
  if (retryAfterMs !== undefined) setTimeout(() => socket.send("again"), retryAfterMs);
});
socket.on("close", (code) => console.log(`closed with ${code}`));
