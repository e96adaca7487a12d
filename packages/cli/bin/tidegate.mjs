#!/usr/bin/env node
import process from "node:process";
import { runCommand } from "../dist/index.mjs";

process.exitCode = await runCommand(process.argv.slice(2));
