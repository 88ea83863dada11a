import { readFileSync } from 'node:fs';
import { parse as parsePath } from 'node:path';
import type { BulkRequest, TurnFilter, TurnRequest } from '../client/connect-pawl.ts';
import { readBulk, readUsage, type UsageCommand } from './bulk/read-bulk.ts';
import type { ChatCommand } from './chat/make-chat.ts';
import { type ForkCommand, type RerunCommand, readFork, readRerun } from './fork/read-fork.ts';
import { CommandMisused, parseArguments, readPairs } from './parse-arguments.ts';
import { MODEL_OPTIONS, readModelOptions } from './run/model-options.ts';
import { readSchedules, type SchedulesCommand } from './schedules/read-schedules.ts';

/** A command with its arguments; `isJson` requests lines of JSON. An empty `input` is on the standard input. */
export type Command =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'run'; request: TurnRequest; files: string[]; conversationId: string | undefined; isJson: boolean }
  | { kind: 'bulk'; request: BulkRequest; isDryRun: boolean; isJson: boolean }
  | ({ kind: 'chat' } & ChatCommand)
  | ({ kind: 'fork' } & ForkCommand)
  | ({ kind: 'rerun' } & RerunCommand)
  | ({ kind: 'usage' } & UsageCommand)
  | ({ kind: 'schedules' } & SchedulesCommand)
  | { kind: 'watch' | 'retry' | 'cancel' | 'delete'; turnId: string; isJson: boolean }
  | { kind: 'workers' | 'queues'; isJson: boolean }
  | { kind: 'turns'; filter: Filter; limit: number; isJson: boolean };

/** Which turns are listed. */
type Filter = Pick<TurnFilter, 'model' | 'q' | 'errorCode' | 'metadata'> & { status: Status[] | undefined };

export type Status = (typeof STATUSES)[number];

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
const TEXTS = { type: 'string', multiple: true } as const;
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
    case 'chat':
      return { kind: name, ...readChat(args) };
    case 'fork':
      return { kind: name, ...readFork(args) };
    case 'rerun':
      return { kind: name, ...readRerun(args) };
    case 'turns':
      return readTurns(args);
    case 'bulk':
      return { kind: name, ...readBulk(args) };
    case 'schedules':
      return { kind: name, ...readSchedules(args) };
    case 'usage':
      return { kind: name, ...readUsage(args) };
    case 'workers':
    case 'queues':
      return readListing(name, args);
    case 'watch':
    case 'retry':
    case 'cancel':
    case 'delete':
      return { kind: name, ...readTurn(name, args) };
  }
  throw new CommandMisused(`There is no command “${name}”.`);
}

function readRun(args: string[]): Command {
  const texts = { model: TEXT, fallback: TEXT, tools: TEXT, instructions: TEXT, conversation: TEXT, schema: TEXT };
  const options = { ...texts, ...MODEL_OPTIONS, file: TEXTS, json: FLAG };
  const { values, positionals } = parseArguments(args, options);
  const { conversation: conversationId, instructions, model = conversationId ? undefined : MODEL } = values;
  const tools = namesIn(values.tools);
  const fallback_models = namesIn(values.fallback);
  const output_schema = values.schema === undefined ? undefined : readSchema(values.schema);
  const input = positionals.join(' ');
  const asked = { input: input === '-' ? '' : input, model, instructions, tools, fallback_models };
  const request = { ...asked, output_schema, ...readModelOptions(values) };
  return { kind: 'run', request, files: values.file ?? [], conversationId, isJson: values.json === true };
}

function readChat(args: string[]): ChatCommand {
  const texts = { model: TEXT, fallback: TEXT, tools: TEXT, instructions: TEXT };
  const { values, positionals } = parseArguments(args, { ...texts, wait: FLAG });
  const [conversationId, ...more] = positionals;
  if ((conversationId && !conversationId.startsWith('conv_')) || more.length > 0)
    throw new CommandMisused('“chat” takes the id of one conversation, or none: pawl chat conv_…');
  const { instructions, model = MODEL } = values;
  const request = { model, instructions, tools: namesIn(values.tools), fallback_models: namesIn(values.fallback) };
  if (conversationId && Object.keys(values).some((name) => name !== 'wait'))
    throw new CommandMisused('A conversation keeps what it was started with: give its id, or options.');
  return { conversationId, request, waits: values.wait === true };
}

function namesIn(list: string | undefined): string[] | undefined {
  return list?.split(',').map((name) => name.trim());
}

/** The schema in a file, called as its title says, else as the file. */
function readSchema(path: string): TurnRequest['output_schema'] {
  const text = readText(path);
  const schema = readObject(text);
  if (!schema) throw new CommandMisused(`“${path}” is no JSON Schema: it holds no JSON object.`);
  const title = typeof schema.title === 'string' && schema.title ? schema.title : parsePath(path).name;
  return { name: title.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 64), schema };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new CommandMisused(`“${path}” cannot be read. Name a file with a JSON Schema.`);
  }
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    // What is an object and no list has names and values.
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function readTurns(args: string[]): Command {
  const filters = { status: TEXT, model: TEXT, q: TEXT, error: TEXT, metadata: TEXTS };
  const { values, positionals } = parseArguments(args, { ...filters, limit: TEXT, json: FLAG });
  if (positionals.length > 0) throw new CommandMisused(`“turns” takes no “${positionals[0]}”.`);
  const { model, q, error: errorCode } = values;
  const limit = Number(values.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1) throw new CommandMisused('The limit is a whole number from 1.');
  const filter = {
    status: namesIn(values.status)?.map(readStatus),
    model,
    q,
    errorCode,
    metadata: values.metadata && readPairs(values.metadata),
  };
  return { kind: 'turns', filter, limit, isJson: values.json === true };
}

function readStatus(given: string): Status {
  const status = STATUSES.find((known) => known === given);
  if (!status) throw new CommandMisused(`There is no status “${given}”.`);
  return status;
}

function readListing(kind: 'workers' | 'queues', args: string[]): Command {
  const { values, positionals } = parseArguments(args, { json: FLAG });
  if (positionals.length > 0) throw new CommandMisused(`“${kind}” takes no “${positionals[0]}”.`);
  return { kind, isJson: values.json === true };
}

function readTurn(name: string, args: string[]): { turnId: string; isJson: boolean } {
  const { values, positionals } = parseArguments(args, { json: FLAG });
  const [turnId, ...more] = positionals;
  if (!turnId?.startsWith('turn_') || more.length > 0) {
    throw new CommandMisused(`Give the id of one turn: pawl ${name} turn_…`);
  }
  return { turnId, isJson: values.json === true };
}

/** The text of `pawl --help`, in 80 columns. */
export const usage = `Usage: pawl <command>

  run "input"      start a turn and watch it; without an input, or with -, it is
                   read from the standard input
      --model <provider/model>       sim/demo unless given
      --fallback <model,model>       asked in turn where that cannot answer
      --tools <name,name>            server-side tools it may call
      --instructions <text>          the system prompt
      --conversation <conv_…>        go on with a conversation
      --schema <file>                a JSON Schema that the answer has to fit
      --prompt-cache auto|off|5m|1h  the provider's cache; auto unless given
      --service-tier <tier>          auto, default, flex or priority; none is
                                     sent unless given
      --tier-fallback default        with flex, if it lacks capacity
      --provider-header <header>     sent with each request to the model, as
                                     name: value; may be repeated
      --max-attempts <n>             tries of each request to the model, 1 to 20
      --model-timeout-ms <ms>        longest time of one reply of the model
      --model-idle-timeout-ms <ms>   longest silence in a reply
      --file <path>                  an image, a PDF, audio; may be repeated
  chat             talk; what is typed while an answer is written joins it
      --model --fallback --tools --instructions     as above
      --wait                         it waits for the answer instead
  chat <conv_…>    go on with a conversation
  watch <turn_…>   watch a turn from its beginning; asks you about calls that
                   wait to be allowed
  turns            list turns, newest first
      --status <status,status>       queued, in_progress, requires_action,
                                     completed, incomplete, failed, cancelled
      --model <provider/model>       those that asked for this model
      --q <words>                    those with all words in input or output
      --error <code>                 those that failed with this error code
      --metadata <key=value>         those with this pair; may be repeated
      --limit <n>                    20 unless given
  retry <turn_…>   let a failed turn go on from its last checkpoint; watch it
  fork <turn_…> ["input"]   go on from a round of a turn, in a new conversation
      --after-round <n>              the last answered one unless given
      --model --fallback --tools --instructions     in place of those it had
  rerun <turn_…>   run a turn again; equal calls get their recorded results
      --run-tools                    all calls run
      --model --fallback --tools --instructions     in place of those it had
  cancel <turn_…>  cancel a turn
  bulk <action>    cancel, retry or delete all turns that match, and wait
      --status --model --conversation --error --after --before --q --metadata
                                     as they are told by GET /v1/turns
      --dry-run                      only count them
  schedules        list schedules; or: create "input", show, enable, disable,
                   delete <sched_…>
      --cron <five fields> --time-zone <zone>, or --every <seconds>
      --if-missed once|skip --model --conversation --instructions --tools
  usage            what was used in the last 30 days
      --from <day> --to <day>        days or times, in UTC; without --to itself
      --by <day,project,model,key>   a line for each
  delete <turn_…>  delete a turn that has ended, with all its content
  workers          list the workers that are alive; wants an admin key
  queues           list the queues and what waits in them; wants an admin key
  --version, -v    say which version this is

With --json each event, turn, worker or queue is a line of JSON. Ctrl-C leaves a
turn, which goes on.
PAWL_URL says where the API listens (http://127.0.0.1:8080; localhost:8080 will
do), PAWL_API_KEY is the key, NO_COLOR is honoured.
The exit code is 0 for completed, 1 for any other end or an error, 2 for a wrong
command, 3 where the turn waits for an answer; of a chat that is fed by a pipe
also 1 where a line was refused.
`;
