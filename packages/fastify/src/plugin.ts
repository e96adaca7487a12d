/**
 * The plugin: limits the routes of the context in which it is registered, and of its child
 * contexts.
 *
 * The limiters that it creates are closed with the application; a cluster is not.
 */

import type {
  ContextConfigDefault,
  FastifyInstance,
  FastifyPluginAsync,
  FastifySchema,
  preHandlerAsyncHookHandler,
  RouteGenericInterface,
} from "fastify";
import fastifyPlugin from "fastify-plugin";
import type {
  AskRateLimit,
  Counting,
  CreateRateLimitOptions,
  RateLimitOptions,
  RateLimitPluginOptions,
} from "./options.ts";
import { wrapHandler } from "./rate-limit.ts";
import { misused, Registration } from "./registration.ts";

declare module "fastify" {
  interface FastifyInstance<RawServer, RawRequest, RawReply, Logger, TypeProvider> {
    /** Makes a function that counts a request or peeks, and leaves the rest to you. */
    createRateLimit(options?: CreateRateLimitOptions): AskRateLimit;
    /** Makes a handler for a hook, such as that of the not-found handler. */
    rateLimit<
      RouteGeneric extends RouteGenericInterface = RouteGenericInterface,
      ContextConfig = ContextConfigDefault,
      SchemaCompiler extends FastifySchema = FastifySchema,
    >(
      options?: RateLimitOptions,
    ): preHandlerAsyncHookHandler<
      RawServer,
      RawRequest,
      RawReply,
      RouteGeneric,
      ContextConfig,
      SchemaCompiler,
      TypeProvider,
      Logger
    > &
      Counting;
  }

  interface FastifyContextConfig {
    /** The route's own limit, instead of the plugin's; false for none. */
    rateLimit?: RateLimitOptions | false;
  }
}

/** The decorators of this plugin, so that a second registration recognises them. */
const ours = new WeakSet<object>();

/** Does nothing; it has the name that other plugins declare as their dependency. */
const inPlaceOf: FastifyPluginAsync = Object.assign(async () => {}, {
  [Symbol.for("skip-override")]: true,
  [Symbol.for("plugin-meta")]: { name: "@fastify/rate-limit" },
});

const plugin: FastifyPluginAsync<RateLimitPluginOptions> = async (fastify, options) => {
  if (typeof fastify.register !== "function") {
    throw misused("'rateLimit' is a plugin: write app.register(rateLimit), with options if needed");
  }
  const registration = new Registration(options);
  fastify.register(inPlaceOf);
  for (const [name, decorator] of [
    [
      "rateLimit",
      (own?: RateLimitOptions) => {
        // Fastify calls a hook with a request.
        if (!Reflect.has(Object(own), "routeOptions")) return registration.handler(own);
        throw misused("'rateLimit' makes a handler: write rateLimit() where the handler is given");
      },
    ],
    ["createRateLimit", (own?: CreateRateLimitOptions) => registration.ask(own)],
  ] as const) {
    if (!fastify.hasDecorator(name)) {
      ours.add(decorator);
      fastify.decorate(name, decorator as never);
    } else if (!ours.has(Reflect.get(fastify, name) as object)) registration.sayTaken(name);
  }

  fastify.addHook("onRoute", (route) => {
    registration.limitRoute(route);
    wrapHandler(route);
  });
  registration.watch(fastify);
  fastify.addHook("onClose", async () => registration.close());
};

/**
 * Limits how often clients may send requests.
 *
 * @example
 * await fastify.register(rateLimit, { max: 100, timeWindow: "1 minute" });
 */
export function rateLimit(
  fastify: FastifyInstance,
  options: RateLimitPluginOptions,
): ReturnType<FastifyPluginAsync<RateLimitPluginOptions>> {
  return plugin(fastify, options);
}

fastifyPlugin(rateLimit, { fastify: "5.x", name: "@tidegate/fastify" });
