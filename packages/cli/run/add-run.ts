import { readFileSync } from 'node:fs';
import { parse as parsePath } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { TurnRequest } from '../../client/connect-pawl.ts';
import type { Act, Cli, Context, JsonOption } from '../cli.ts';
import { followTurn } from '../follow-turn.ts';
import { readNumberFrom, readObject } from '../read-values.ts';
import { addTurnOptions, DEFAULT_MODEL, modelOf, type TurnOptions, turnFields } from '../turn-options.ts';
import { withFiles } from '../with-files.ts';

type RunOptions = TurnOptions &
  JsonOption &
  ModelOptions & {
    conversation?: string;
    schema?: TurnRequest['output_schema'];
    file?: string[];
  };

type ModelOptions = {
  promptCache?: NonNullable<TurnRequest['prompt_cache']>;
  serviceTier?: NonNullable<TurnRequest['service_tier']>;
  tierFallback?: NonNullable<TurnRequest['tier_fallback']>;
  providerHeader?: Record<string, string>;
  maxAttempts?: number;
  modelTimeoutMs?: number;
  modelIdleTimeoutMs?: number;
};

export function addRun(program: Command, act: Act): void {
  const run = program
    .command('run')
    .description('start a turn and watch it')
    .argument('[input...]', 'the input, by default (or with -) the standard input');
  addModelOptions(addTurnOptions(run, `the model, ${DEFAULT_MODEL} by default`))
    .option('--conversation <conv_…>', 'the conversation to continue')
    .option('--schema <file>', 'a JSON Schema for the answer', readSchema)
    .option('--file <path>', 'an image, a PDF or audio (repeatable)', (path, before: string[] = []) => [
      ...before,
      path,
    ])
    .option('--json', 'write each event as a line of JSON')
    .action(act(startTurn));
}

function addModelOptions(command: Command): Command {
  const choice = (flags: string, description: string, choices: string[]) =>
    new Option(flags, description).choices(choices);
  return command
    .addOption(choice('--prompt-cache <use>', "the provider's cache, auto by default", ['auto', 'off', '5m', '1h']))
    .addOption(choice('--service-tier <tier>', 'the service tier', ['auto', 'default', 'flex', 'priority', 'batch']))
    .addOption(choice('--tier-fallback <tier>', 'the tier after flex or batch', ['default']))
    .option('--provider-header <header>', 'a header, as name: value (repeatable)', readHeaders)
    .option('--max-attempts <n>', 'attempts of each request, 1 to 20', readNumberFrom(1))
    .option('--model-timeout-ms <ms>', 'maximum time of a reply', readNumberFrom(1))
    .option('--model-idle-timeout-ms <ms>', 'maximum silence in a reply', readNumberFrom(1));
}

async function startTurn({ pawl, cli, options }: Context, words: string[], given: RunOptions): Promise<number> {
  const { conversation, schema: output_schema, file = [], json = false } = given;
  const said = words.join(' ');
  const input = said === '' || said === '-' ? await readInput(cli) : said;
  const fields = { ...turnFields(given), ...modelFields(given), model: modelOf(given, conversation), output_schema };
  const request = { ...fields, input: await withFiles(input, file) };
  const turns = conversation === undefined ? pawl.turns : pawl.conversations.attach(conversation);
  return followTurn(await turns.start(request, options), { isJson: json }, cli);
}

/** Reads the input of a turn from the standard input, as in `echo Hello | pawl run`. Throws InvalidArgumentError. */
async function readInput({ stdin, signal }: Cli): Promise<string> {
  const input = stdin.isTTY ? '' : (await text(addAbortSignal(signal, stdin))).trimEnd();
  if (input === '')
    throw new InvalidArgumentError('The input is missing. Write pawl run "Hello", or pipe a text into pawl run.');
  return input;
}

function modelFields({ maxAttempts, modelTimeoutMs, modelIdleTimeoutMs, ...given }: ModelOptions) {
  const model_retry = { max_attempts: maxAttempts, timeout_ms: modelTimeoutMs, idle_timeout_ms: modelIdleTimeoutMs };
  const hasRetry = Object.values(model_retry).some((value) => value !== undefined);
  return {
    prompt_cache: given.promptCache,
    service_tier: given.serviceTier,
    tier_fallback: given.tierFallback,
    provider_headers: given.providerHeader,
    model_retry: hasRetry ? model_retry : undefined,
  } satisfies Partial<TurnRequest>;
}

function readHeaders(given: string, before: Record<string, string> = {}): Record<string, string> {
  const end = given.indexOf(':');
  if (end < 1) throw new InvalidArgumentError('Write "name: value".');
  const name = given.slice(0, end).trim();
  if (Object.keys(before).some((known) => known.toLowerCase() === name.toLowerCase()))
    throw new InvalidArgumentError('Give each header once.');
  return { ...before, [name]: given.slice(end + 1).trim() };
}

/** Reads a schema from a file. Its name is its title, or else the name of the file. */
function readSchema(path: string): TurnRequest['output_schema'] {
  const schema = readObject(readText(path));
  if (!schema) throw new InvalidArgumentError('The file has no JSON object. Name a file with a JSON Schema.');
  const title = typeof schema.title === 'string' && schema.title ? schema.title : parsePath(path).name;
  return { name: title.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 64), schema };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new InvalidArgumentError('The file cannot be read. Name a file with a JSON Schema.');
  }
}
