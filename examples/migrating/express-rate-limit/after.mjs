// @ts-check

import { rateLimit } from "@tidegate/express";
import express from "express";
import { HOST, PORT, serving } from "../../serving.mjs";

const app = express();
app.use(
  rateLimit({
    windowMs: 15 * 60 * 1000,
    limit: 5,
    standardHeaders: "draft-7",
    message: { error: "Slow down, please." },
  }),
);
app.get("/", (_request, response) => {
  response.type("text").send("Hello\n");
});

serving(app.listen(PORT, HOST));
