// @ts-check
// Where the examples listen, and how they end; it has no part in limiting anything.

export const HOST = process.env.HOST ?? "127.0.0.1";
export const PORT = Number(process.env.PORT ?? 3000);

/**
 * Prints the address of a server, and ends with SIGINT or SIGTERM.
 *
 * @param {import("node:http").Server} server
 * @param {() => unknown} [end] ends what keeps the process alive beside the server
 */
export function serving(server, end = () => {}) {
  const print = () => {
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    console.log(`http://127.0.0.1:${port}`);
  };
  if (server.listening) print();
  else server.once("listening", print);
  server.once("error", ({ message }) => {
    console.error(`${message}: choose another port, such as PORT=3010, or PORT=0 for any`);
    process.exit(1);
  });
  let isEnding = false;
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => {
      if (isEnding) return;
      isEnding = true;
      server.close();
      server.closeAllConnections();
      end();
    });
  }
}
