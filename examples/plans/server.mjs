// @ts-check
// A limit for each user, by the user's plan.

import { rateLimit } from "@tidegate/express";
import express from "express";
import { HOST, PORT, serving } from "../serving.mjs";

/** Requests a minute. */
const PLANS = { trial: 3, team: 10 };

/**
 * By API key; yours are in a database.
 *
 * @type {Map<string, { id: string; plan: keyof typeof PLANS }>}
 */
const USERS = new Map([
  ["key-of-ada", { id: "ada", plan: "team" }],
  ["key-of-bob", { id: "bob", plan: "trial" }],
]);

const app = express();
app.use((request, response, next) => {
  const user = USERS.get(request.get("x-api-key") ?? "");
  if (user === undefined) {
    response.status(401).json({ error: "Send your key as X-Api-Key." });
    return;
  }
  response.locals.user = user;
  next();
});
app.use(
  rateLimit({
    preset: "api",
    name: "api",
    key: (_request, response) => response.locals.user.id,
    limit: (_request, response) => {
      const plan = /** @type {keyof typeof PLANS} */ (response.locals.user.plan);
      return PLANS[plan];
    },
  }),
);
app.get("/", (_request, response) => {
  response.type("text").send(`Hello, ${response.locals.user.id}\n`);
});

serving(app.listen(PORT, HOST));
