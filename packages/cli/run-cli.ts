import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import { connectPawl, PawlError } from '../client/connect-pawl.ts';
import { readBaseUrl } from '../client/read-base-url.ts';
import type { Cli, Context } from './cli.ts';
import { makeProgram } from './make-program.ts';
import { makeVisible } from './make-visible.ts';

const INTERRUPTED = 130;
const MISUSED = 2;
const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Short, since a user waits at a terminal. */
const RETRY_FOR_MS = 2_000;

/** Runs a command and returns the exit code. Writes a failure as a sentence. */
export async function runCli(args: string[], cli: Cli): Promise<number> {
  let exitCode = 0;
  const program = makeProgram(cli, (work) => async (...given) => {
    exitCode = await work(openContext(cli), ...given);
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (cli.signal.aborted) return INTERRUPTED;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError) return printError(explainMisuse(error, program, args), MISUSED);
    if (error instanceof PawlError) return printError(explain(error, cli.env), 1);
    throw error;
  }

  function printError(sentence: string, code: number): number {
    cli.stderr.write(`${makeVisible(sentence)}\n`);
    return code;
  }
}

function openContext(cli: Cli): Context {
  const options = { patienceMs: RETRY_FOR_MS, signal: cli.signal };
  return { pawl: connectPawl(readAccess(cli.env)), cli, options };
}

/** Returns the API's URL and key. An empty variable counts as absent. Throws InvalidArgumentError. */
function readAccess({ PAWL_URL, PAWL_API_KEY: apiKey }: Cli['env']): { baseUrl: string; apiKey: string | undefined } {
  const base = readBaseUrl(PAWL_URL?.trim() || DEFAULT_URL);
  if (apiKey && !/^[!-~]+$/.test(apiKey))
    throw new InvalidArgumentError('PAWL_API_KEY is not a valid key. Set a key of visible ASCII characters.');
  if ('problem' in base) throw new InvalidArgumentError(`PAWL_URL is not valid: ${base.problem}`);
  if (base.url.startsWith('/'))
    throw new InvalidArgumentError('PAWL_URL is a path without a host. Begin with the host.');
  return { baseUrl: base.url, apiKey };
}

/** Returns the error message of the library, and the command that shows the help. */
function explainMisuse({ code, message }: CommanderError, program: Command, args: string[]): string {
  const path = pathOf(args, program);
  const help = `See: ${[program, ...path].map((command) => command.name()).join(' ')} --help`;
  const word = args[args.indexOf('help') + 1];
  if (code === 'commander.help') return `${word ? `Unknown command “${word}”.` : 'The command is missing.'} ${help}`;
  const [problem = '', hint] = message.replace(/^error: /, '').split(/\n\((.*)\)$/);
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`
    .replace(/^(Unknown command )'(.*)'/, '$1“$2”')
    .replace(/(?<![.?])$/, '.');
  const names = code === 'commander.unknownCommand' && path.at(-1)?.commands.map((command) => command.name());
  return [sentence, hint, names && `Use ${names.join(', ')}.`, help].filter(Boolean).join(' ');
}

/** Returns the command and subcommand at the start of the arguments. */
function pathOf([name = '', ...rest]: string[], { commands }: Command): Command[] {
  const inner = commands.find((command) => command.name() === name);
  return inner ? [inner, ...pathOf(rest, inner)] : [];
}

function explain({ status, code, message }: PawlError, env: Cli['env']): string {
  if (code === 'unreachable') {
    return `Pawl does not answer at ${readAccess(env).baseUrl}. Start Pawl with “npm start”, or set PAWL_URL to its address.`;
  }
  if (code === 'insufficient_scope') return `The key in PAWL_API_KEY has no permission. ${message}`;
  return status === 401 ? 'The API requires a key. Set PAWL_API_KEY to a key of its PAWL_API_KEYS.' : message;
}
