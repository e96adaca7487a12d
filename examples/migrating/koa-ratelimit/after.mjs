// @ts-check

import rateLimit from "@tidegate/koa";
import Koa from "koa";
import { HOST, PORT, serving } from "../../serving.mjs";

const app = new Koa();
app.use(
  rateLimit({
    driver: "memory",
    db: new Map(),
    duration: 15 * 60 * 1000,
    max: 5,
    // Whom the application's own log-in has found; what a client says of itself is no id.
    id: (context) => context.state.userId ?? context.ip,
    errorMessage: { error: "Slow down, please." },
  }),
);
app.use((context) => {
  context.body = "Hello\n";
});

serving(app.listen(PORT, HOST));
