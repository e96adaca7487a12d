// @ts-check
// Logging in: 5 attempts in 15 minutes for a user name, 50 for an address; both have to agree.

import { rateLimit } from "@tidegate/express";
import express from "express";
import { HOST, PORT, serving } from "../serving.mjs";

const app = express();
app.use(express.json());
app.post(
  "/log-in",
  rateLimit({
    preset: "login",
    name: "log-in",
    // Folded as the search for accounts does it, or each spelling would have attempts of its own.
    username: (request) => nameOf(request),
    // Who knows the password does not use attempts up.
    skipSuccessfulRequests: true,
  }),
  (request, response) => {
    const isRight = nameOf(request) === "ada" && request.body?.password === "difference engine";
    if (isRight) response.json({ welcome: "ada" });
    else response.status(401).json({ error: "User name or password is wrong." });
  },
);

serving(app.listen(PORT, HOST));

/** @param {express.Request} request */
function nameOf({ body }) {
  return String(body?.name ?? "")
    .trim()
    .toLowerCase();
}
