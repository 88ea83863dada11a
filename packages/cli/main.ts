#!/usr/bin/env node
import { runCli } from './run-cli.ts';

// Under npm one Ctrl-C arrives twice: from the terminal and from npm.
const interrupt = new AbortController();
process.on('SIGINT', () => interrupt.abort());
// The reader has closed the output, as `| head` does.
process.stdout.on('error', () => process.exit(0));

const { env, stdin, stdout, stderr } = process;
process.exitCode = await runCli(process.argv.slice(2), { env, stdin, stdout, stderr, signal: interrupt.signal });
