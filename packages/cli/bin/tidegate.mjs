#!/usr/bin/env node
import process from "node:process";
import { runCommand } from "../dist/index.mjs";

// A reader of the output, such as `head`, may have seen enough.
process.stdout.on("error", ({ code }) => process.exit(code === "EPIPE" ? 0 : 1));

process.exitCode = await runCommand(process.argv.slice(2));
