#!/usr/bin/env node
import { runCli } from './run-cli.ts';

// One Ctrl-C reaches us twice under npm: from the terminal, and passed on by npm.
const leaving = new AbortController();
process.on('SIGINT', () => leaving.abort());
// Whoever read the output has left, as `| head` does.
process.stdout.on('error', () => process.exit(0));

const { env, stdin, stdout, stderr } = process;
process.exitCode = await runCli(process.argv.slice(2), { env, stdin, stdout, stderr, signal: leaving.signal });
