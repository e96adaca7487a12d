/* The same in CommonJS, with nothing that Node cannot strip. */

import type { Limiter, Policy } from "@tidegate/core";

const core: typeof import("@tidegate/core") = require("@tidegate/core");
const rateLimit: typeof import("@tidegate/express") = require("@tidegate/express");
const imports: Promise<object> = import("../esm/by-import.js" as string);

const policy: Policy = core.fixedWindow({ limit: 1, windowMs: core.MINUTE });
const limiter: Limiter = core.createLimiter({ name: "typed", policy });
limiter.close();
rateLimit.rateLimit({ limit: 5, windowMs: core.MINUTE }).resetKey("ada");

const required = require("../cjs/by-require.js");
void imports.then((imported) => require("../cjs/exercise.js")({ imported, required }));
