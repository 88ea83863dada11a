import { createRequire } from 'node:module';
import { connectPawl, PawlError } from '../client/connect-pawl.ts';
import { readBaseUrl } from '../client/read-base-url.ts';
import type { Cli } from './cli.ts';
import { makeVisible } from './make-visible.ts';
import { CommandMisused } from './parse-arguments.ts';
import { readCommand, usage } from './read-command.ts';
import { runCommand } from './run-command.ts';

const INTERRUPTED = 130;
const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Runs a command; returns the exit code. A failure is written as a sentence. */
export async function runCli(args: string[], cli: Cli): Promise<number> {
  try {
    const command = readCommand(args);
    if (command.kind === 'help') return print(usage);
    if (command.kind === 'version') return print(`${version()}\n`);
    return await runCommand(command, connectPawl(readAccess(cli.env)), cli);
  } catch (error) {
    if (cli.signal.aborted) return INTERRUPTED;
    if (error instanceof CommandMisused) return printError(`${error.message} See: pawl --help`, 2);
    if (error instanceof PawlError) return printError(explain(error, cli.env), 1);
    throw error;
  }

  function print(text: string): number {
    cli.stdout.write(text);
    return 0;
  }
  function printError(sentence: string, exitCode: number): number {
    cli.stderr.write(`${makeVisible(sentence)}\n`);
    return exitCode;
  }
}

/** The API's URL and key; an empty variable counts as absent. Throws CommandMisused. */
function readAccess({ PAWL_URL, PAWL_API_KEY: apiKey }: Cli['env']): { baseUrl: string; apiKey: string | undefined } {
  const base = readBaseUrl(PAWL_URL?.trim() || DEFAULT_URL);
  if (apiKey && !/^[!-~]+$/.test(apiKey)) throw new CommandMisused('PAWL_API_KEY holds a character that no key has.');
  if ('problem' in base) throw new CommandMisused(`PAWL_URL cannot be used: ${base.problem}`);
  if (base.url.startsWith('/')) throw new CommandMisused('PAWL_URL is a path without a host. Begin with the host.');
  return { baseUrl: base.url, apiKey };
}

/** The version of this package, found by its name, since its path differs once it is packed. */
function version(): string {
  return createRequire(import.meta.url)('@pawl-turns/cli/package.json').version;
}

function explain({ status, code, message }: PawlError, env: Cli['env']): string {
  if (code === 'unreachable') {
    return `Nothing answers at ${readAccess(env).baseUrl}. Start Pawl with “npm start”, or say in PAWL_URL where it listens.`;
  }
  if (code === 'insufficient_scope') return `The key in PAWL_API_KEY may not do this. ${message}`;
  return status === 401 ? 'The API wants a key. Set PAWL_API_KEY to one of its PAWL_API_KEYS.' : message;
}
