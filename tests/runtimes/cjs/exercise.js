"use strict";

/**
 * What a user's program does first, as every runtime, test runner, bundler and compiler must run it.
 *
 * `imported` and `required` hold the packages as `import` and as `require` of the same program reach
 * them. Two copies would be two budgets, and one would refuse what the other has made.
 */

const assert = require("node:assert/strict");
const { once } = require("node:events");
const { createServer } = require("node:http");
const { setTimeout: sleep } = require("node:timers/promises");

const MINUTE = 60_000;
const PATIENCE_MS = 10_000;

module.exports = async function exercise({ imported, required }) {
  isOneCopy(imported, required);
  await countTogether(imported, required);
  await countTogether(required, imported);
  await warns(required);
};

/** Another copy of the same version, as of a nested installation, takes what the first has made. */
module.exports.takesFromEachOther = async function takesFromEachOther(first, second) {
  assert.notEqual(first.core, second.core);
  await countTogether(first, second);
  await countTogether(second, first);
};

function isOneCopy(imported, required) {
  for (const [entry, exported] of Object.entries(imported)) {
    const names = Object.keys(exported).filter((name) => /^\w+$/.test(name) && name !== "default");
    assert.ok(names.length > 0, `${entry} exports nothing`);
    for (const name of names) {
      assert.notEqual(exported[name], undefined, `${entry} has no ${name}`);
      assert.equal(required[entry][name], exported[name], `${entry} has two copies of ${name}`);
    }
  }
  // Packages that build on core refuse options with the error class of that one copy.
  assert.throws(() => required.nats.natsTransport({}), imported.core.TidegateError);
  // What users of the replaced packages write, in each of its forms.
  const { express, fastify, koa } = required;
  for (const [adapter, names] of [
    [express, ["rateLimit", "default"]],
    [fastify, ["rateLimit", "fastifyRateLimit", "default"]],
    [koa, ["rateLimit", "default"]],
  ]) {
    assert.equal(typeof adapter, "function");
    for (const name of names) assert.equal(adapter[name], adapter);
  }
}

/** Adapters of one side count in a cluster and by a policy of the other side, and counts add up. */
async function countTogether(makers, takers) {
  const network = makers.testing.memoryNetwork();
  const [here, there] = [makers, takers].map(({ core }) =>
    core.joinCluster({ transport: network.transport(), namespace: "exercise" }),
  );
  const limiters = [];
  try {
    await Promise.all([here.ready, there.ready]);
    for (const [name, limiterOf] of Object.entries(ADAPTERS)) {
      if (name === process.env.WITHOUT) continue; // where a tool cannot load the framework
      const policy = makers.core.fixedWindow({ limit: 3, windowMs: MINUTE });
      const limiter = await limiterOf(takers, { name, policies: [policy], cluster: here });
      limiters.push(limiter);
      const elsewhere = makers.core.createLimiter({ name: limiter.name, policy, cluster: there });
      limiters.push(elsewhere);
      assert.equal(limiter.check("ada", 2).allowed, true);
      await until(() => elsewhere.peek("ada").remaining === 1, `${name}: counts are not shared`);
      assert.equal(elsewhere.check("ada", 2).allowed, false);
    }
  } finally {
    for (const limiter of limiters) limiter.close();
    await Promise.all([here.leave(), there.leave()]);
  }
}

/** Makes a limiter with each adapter and hands out what counts in it. */
const ADAPTERS = {
  express: async ({ express }, options) => express.rateLimit(options).limiter,
  koa: async ({ koa }, options) => koa.rateLimit(options).limiter,
  fastify: async ({ fastify }, options) => {
    const server = require("fastify")();
    await server.register(fastify.rateLimit, options);
    await server.ready();
    return server.createRateLimit().limiter;
  },
};

/** A warning is emitted, and the request is answered as if there were none. */
async function warns({ express }) {
  const limit = express.rateLimit({ limit: 5 });
  const server = createServer((request, response) => {
    limit(request, response, (error) => {
      response.statusCode = error === undefined ? 200 : 500;
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // Jest's own `process` emits no events; what it is told is passed on, for Node to judge it.
  const { emitWarning } = process;
  const codes = [];
  process.emitWarning = (warning, ...given) => {
    emitWarning.call(process, warning, ...given);
    codes.push(given[0]?.code);
  };
  try {
    const url = `http://127.0.0.1:${server.address().port}/`;
    const headers = { connection: "close", "x-forwarded-for": "192.0.2.1" };
    assert.equal((await fetch(url, { headers })).status, 200);
    assert.deepEqual(codes, ["TIDEGATE_FORWARDED_FOR_UNTRUSTED"]);
  } finally {
    process.emitWarning = emitWarning;
    server.close();
  }
}

/** @param setDate how the test runner mocks the date */
module.exports.followsTheDate = function followsTheDate({ core }, setDate) {
  const policy = core.fixedWindow({ limit: 1, windowMs: MINUTE });
  const limiter = core.createLimiter({ name: "date", policy });
  const startMs = Date.now();
  assert.equal(limiter.check("ada").allowed, true);
  setDate(startMs + MINUTE - 1_000);
  assert.equal(limiter.check("ada").allowed, false);
  setDate(startMs + MINUTE + 1_000);
  assert.equal(limiter.check("ada").allowed, true);
  limiter.close();
};

async function until(isSo, problem) {
  const endMs = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    assert.ok(performance.now() < endMs, problem);
    await sleep(10);
  }
}
