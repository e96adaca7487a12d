// @ts-check
// Tokens of a language model, charged when the response is there and its cost is known.

import { fixedWindow, MINUTE, tokenBucket } from "@tidegate/core";
import { rateLimit } from "@tidegate/express";
import express from "express";
import { HOST, PORT, serving } from "../serving.mjs";

const app = express();
app.use(express.json());
app.post(
  "/complete",
  rateLimit({
    preset: "api",
    name: "completions",
    policies: [
      fixedWindow({ name: "requests", limit: 20, windowMs: MINUTE }),
      tokenBucket({ name: "tokens", capacity: 1_000, refillPerSecond: 10 }),
    ],
    // A request and no tokens yet; a bucket that is in debt refuses it all the same.
    cost: () => ({ tokens: 0 }),
    charge: (_request, response) => ({ requests: 0, tokens: response.locals.tokens ?? 0 }),
  }),
  async (request, response) => {
    const { text, tokens } = await complete(String(request.body?.prompt ?? ""));
    response.locals.tokens = tokens;
    response.json({ text, tokens });
  },
);

serving(app.listen(PORT, HOST));

/**
 * Stands for a model: a token for each letter.
 *
 * @param {string} prompt
 */
async function complete(prompt) {
  return { text: prompt.toUpperCase(), tokens: prompt.length };
}
