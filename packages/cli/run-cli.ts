import type { Readable, Writable } from 'node:stream';
import { connectPawl, type Pawl, PawlError } from '../client/connect-pawl.ts';
import { followTurn } from './follow-turn.ts';
import { listTurns } from './list-turns.ts';
import { makeVisible } from './make-visible.ts';
import { type Command, CommandMisused, readCommand } from './read-command.ts';
import { usage } from './usage.ts';

/** Where the command line was written and where its output goes; `signal` is Ctrl-C. */
export type Cli = {
  env: Record<string, string | undefined>;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable;
  signal: AbortSignal;
};

/** Somebody waits for the answer at a terminal: a server that is not there is said so soon. */
const PATIENCE_MS = 2_000;
const LEFT = 130;

/** Does what the arguments say; answers the exit code. What goes wrong is said in a sentence. */
export async function runCli(args: string[], cli: Cli): Promise<number> {
  const { PAWL_URL: baseUrl = 'http://127.0.0.1:8080', PAWL_API_KEY: apiKey } = cli.env;
  try {
    if (apiKey && !/^[!-~]+$/.test(apiKey)) throw new CommandMisused('PAWL_API_KEY holds a character that no key has.');
    if (!URL.canParse(baseUrl)) throw new CommandMisused(`PAWL_URL is no URL: “${baseUrl}”.`);
    return await run(readCommand(args), connectPawl({ baseUrl, apiKey }), cli);
  } catch (error) {
    if (cli.signal.aborted) return LEFT;
    if (error instanceof CommandMisused) return complain(`${error.message} See: npx pawl --help`, 2);
    if (error instanceof PawlError) return complain(explain(error, baseUrl), 1);
    throw error;
  }

  function complain(sentence: string, exitCode: number): number {
    cli.stderr.write(`${makeVisible(sentence)}\n`);
    return exitCode;
  }
}

async function run(command: Command, pawl: Pawl, cli: Cli): Promise<number> {
  const options = { patienceMs: PATIENCE_MS, signal: cli.signal };
  switch (command.kind) {
    case 'help':
      cli.stdout.write(usage);
      return 0;
    case 'run': {
      const { request, conversationId, isJson } = command;
      const turns = conversationId === undefined ? pawl.turns : pawl.conversations.attach(conversationId);
      return followTurn(await turns.start(request, options), { isJson }, cli);
    }
    case 'watch': {
      const turn = pawl.turns.attach(command.turnId);
      await turn.get(options);
      return followTurn(turn, command, cli);
    }
    case 'retry': {
      const turn = pawl.turns.attach(command.turnId);
      const { last_event: after } = await turn.get(options);
      await turn.retry(options);
      return followTurn(turn, { ...command, after }, cli);
    }
    case 'cancel': {
      const turn = await pawl.turns.attach(command.turnId).cancel(options);
      cli.stdout.write(command.isJson ? `${JSON.stringify(turn)}\n` : `${turn.id} is cancelled.\n`);
      return 0;
    }
    case 'turns':
      return listTurns(
        pawl.turns.list({ ...options, status: command.status, limit: Math.min(command.limit, 100) }),
        command,
        cli,
      );
  }
}

function explain({ status, code, message }: PawlError, baseUrl: string): string {
  if (code === 'unreachable') {
    return `Nothing answers at ${baseUrl}. Start Pawl with “npm start”, or say in PAWL_URL where it listens.`;
  }
  return status === 401 ? 'The API wants a key. Set PAWL_API_KEY to one of its PAWL_API_KEYS.' : message;
}
