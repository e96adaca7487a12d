import express from "express";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { HOST, PORT, serving } from "../../serving.mjs";

const limiter = new RateLimiterMemory({ points: 5, duration: 60 });

const app = express();
app.get("/", async (request, response) => {
  try {
    const { remainingPoints } = await limiter.consume(request.ip);
    response.set("X-RateLimit-Remaining", String(remainingPoints));
    response.type("text").send("Hello\n");
  } catch (refusal) {
    // An Error where a store failed; else what the limiter says.
    if (refusal instanceof Error) throw refusal;
    response.set("Retry-After", String(Math.ceil(refusal.msBeforeNext / 1_000)));
    response.status(429).type("text").send("Too many requests\n");
  }
});

serving(app.listen(PORT, HOST));
