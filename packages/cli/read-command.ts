import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { TurnRequest } from '../client/connect-pawl.ts';

/** A command with its arguments; `isJson` requests lines of JSON. */
export type Command =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'run'; request: TurnRequest; conversationId: string | undefined; isJson: boolean }
  | { kind: 'watch' | 'retry' | 'cancel'; turnId: string; isJson: boolean }
  | { kind: 'turns'; status: Status | undefined; limit: number; isJson: boolean };

export type Status = (typeof STATUSES)[number];

/** A command that cannot be read; the message says what is wrong with it. */
export class CommandMisused extends Error {}

const STATUSES = [
  'queued',
  'in_progress',
  'requires_action',
  'completed',
  'incomplete',
  'failed',
  'cancelled',
] as const;
const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const MODEL = 'sim/demo';

/** Reads the arguments of the command line. Throws CommandMisused. */
export function readCommand([name, ...args]: string[]): Command {
  if (name === undefined) throw new CommandMisused('Say what to do.');
  if ([name, ...args].some((arg) => arg === '--help' || arg === '-h') || name === 'help') return { kind: 'help' };
  switch (name) {
    case '--version':
    case '-v':
      return { kind: 'version' };
    case 'run':
      return readRun(args);
    case 'turns':
      return readTurns(args);
    case 'watch':
    case 'retry':
    case 'cancel':
      return { kind: name, ...readTurn(name, args) };
  }
  throw new CommandMisused(`There is no command “${name}”.`);
}

function readRun(args: string[]): Command {
  const texts = { model: TEXT, fallback: TEXT, tools: TEXT, instructions: TEXT, conversation: TEXT };
  const { values, positionals } = parse(args, { ...texts, json: FLAG });
  const { conversation: conversationId, instructions, model = conversationId ? undefined : MODEL } = values;
  if (positionals.length === 0) throw new CommandMisused('Say what the turn is about: pawl run "Hello".');
  const tools = namesIn(values.tools);
  const fallback_models = namesIn(values.fallback);
  const request = { input: positionals.join(' '), model, instructions, tools, fallback_models };
  return { kind: 'run', request, conversationId, isJson: values.json === true };
}

function namesIn(list: string | undefined): string[] | undefined {
  return list?.split(',').map((name) => name.trim());
}

function readTurns(args: string[]): Command {
  const { values, positionals } = parse(args, { status: TEXT, limit: TEXT, json: FLAG });
  if (positionals.length > 0) throw new CommandMisused(`“turns” takes no “${positionals[0]}”.`);
  const status = STATUSES.find((known) => known === values.status);
  if (values.status !== status) throw new CommandMisused(`There is no status “${values.status}”.`);
  const limit = Number(values.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1) throw new CommandMisused('The limit is a whole number from 1.');
  return { kind: 'turns', status, limit, isJson: values.json === true };
}

function readTurn(name: string, args: string[]): { turnId: string; isJson: boolean } {
  const { values, positionals } = parse(args, { json: FLAG });
  const [turnId, ...more] = positionals;
  if (!turnId?.startsWith('turn_') || more.length > 0) {
    throw new CommandMisused(`Give the id of one turn: pawl ${name} turn_…`);
  }
  return { turnId, isJson: values.json === true };
}

function parse<Options extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const [sentence] = error instanceof Error ? error.message.split('. ') : [];
    throw new CommandMisused(`${sentence}.`);
  }
}

/** The text of `pawl --help`, in 80 columns. */
export const usage = `Usage: npx pawl <command>

  run "input"      start a turn and watch it
      --model <provider/model>       sim/demo unless given
      --fallback <model,model>       asked in turn where that cannot answer
      --tools <name,name>            server-side tools it may call
      --instructions <text>          the system prompt
      --conversation <conv_…>        go on with a conversation
  watch <turn_…>   watch a turn from its beginning; asks you about calls that
                   wait to be allowed
  turns            list turns, newest first
      --status <status>              queued, in_progress, requires_action,
                                     completed, incomplete, failed, cancelled
      --limit <n>                    20 unless given
  retry <turn_…>   let a failed turn go on from its last checkpoint; watch it
  cancel <turn_…>  cancel a turn
  --version, -v    say which version this is

With --json each event or turn is a line of JSON. Ctrl-C leaves a turn, which
goes on.
PAWL_URL says where the API listens (http://127.0.0.1:8080; localhost:8080 will
do), PAWL_API_KEY is the key, NO_COLOR is honoured.
The exit code is 0 for completed, 1 for any other end or an error, 2 for a wrong
command, 3 where the turn waits for an answer.
`;
