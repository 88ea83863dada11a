import type { Pawl } from '../client/connect-pawl.ts';
import { workBulk } from './bulk/work-bulk.ts';
import { runChat } from './chat/run-chat.ts';
import type { Cli } from './cli.ts';
import { followTurn } from './follow-turn.ts';
import { listTurns } from './lists/list-turns.ts';
import { queueLine, showLines, workerLine } from './lists/show-lines.ts';
import { showUsage } from './lists/show-usage.ts';
import type { Command } from './read-command.ts';
import { readInput } from './read-input.ts';
import { runSchedules } from './schedules/run-schedules.ts';
import { withFiles } from './with-files.ts';

/** A command that asks the API. */
type ApiCommand = Exclude<Command, { kind: 'help' | 'version' }>;
type Of<Kind extends ApiCommand['kind']> = ApiCommand & { kind: Kind };

/** Short, since a user waits at a terminal to read that the server is away. */
const RETRY_FOR_MS = 2_000;

/** Runs a command; answers its exit code. Fails with a PawlError. */
export async function runCommand<Kind extends ApiCommand['kind']>(
  command: Of<Kind>,
  pawl: Pawl,
  cli: Cli,
): Promise<number> {
  const run: Runs[Kind] = RUNS[command.kind as Kind];
  return run(command, { pawl, cli, options: { patienceMs: RETRY_FOR_MS, signal: cli.signal } });
}

type Context = { pawl: Pawl; cli: Cli; options: { patienceMs: number; signal: AbortSignal } };
type Runs = { [Kind in ApiCommand['kind']]: (command: Of<Kind>, context: Context) => Promise<number> };

const RUNS: Runs = {
  run: startTurn,
  fork: forkTurn,
  rerun: rerunTurn,
  watch: watchTurn,
  retry: retryTurn,
  cancel: cancelTurn,
  delete: deleteTurn,
  chat: (command, { pawl, cli }) => runChat(pawl, command, cli),
  bulk: (command, { pawl, cli, options }) => workBulk(pawl, { ...command, ...options }, cli),
  schedules: (command, { pawl, cli, options }) => runSchedules(pawl, { ...command, ...options }, cli),
  usage: async ({ query, isJson }, { pawl, cli, options }) =>
    showUsage(await pawl.usage.get({ ...query, ...options }), isJson, cli),
  workers: async (command, { pawl, cli, options }) => showLines(await pawl.workers(options), workerLine, command, cli),
  queues: async (command, { pawl, cli, options }) => showLines(await pawl.queues(options), queueLine, command, cli),
  turns: (command, { pawl, cli, options }) => {
    const limit = Math.min(command.limit, 100);
    return listTurns(pawl.turns.list({ ...options, ...command.filter, limit }), command, cli);
  },
};

async function startTurn(command: Of<'run'>, { pawl, cli, options }: Context): Promise<number> {
  const { conversationId, isJson } = command;
  const input = command.request.input || (await readInput(cli));
  const request = await withFiles({ ...command, request: { ...command.request, input } });
  const turns = conversationId === undefined ? pawl.turns : pawl.conversations.attach(conversationId);
  return followTurn(await turns.start(request, options), { isJson }, cli);
}

async function forkTurn(command: Of<'fork'>, { pawl, cli, options }: Context): Promise<number> {
  return followTurn(await pawl.turns.fork(command.turnId, command.request, options), command, cli);
}

async function rerunTurn(command: Of<'rerun'>, { pawl, cli, options }: Context): Promise<number> {
  return followTurn(await pawl.turns.rerun(command.turnId, command.request, options), command, cli);
}

async function watchTurn(command: Of<'watch'>, { pawl, cli, options }: Context): Promise<number> {
  const turn = pawl.turns.attach(command.turnId);
  await turn.get(options);
  return followTurn(turn, command, cli);
}

async function retryTurn(command: Of<'retry'>, { pawl, cli, options }: Context): Promise<number> {
  const turn = pawl.turns.attach(command.turnId);
  const { last_event: after } = await turn.get(options);
  await turn.retry(options);
  return followTurn(turn, { ...command, after }, cli);
}

async function cancelTurn({ turnId, isJson }: Of<'cancel'>, { pawl, cli, options }: Context): Promise<number> {
  const turn = await pawl.turns.attach(turnId).cancel(options);
  cli.stdout.write(isJson ? `${JSON.stringify(turn)}\n` : `${turn.id} is cancelled.\n`);
  return 0;
}

async function deleteTurn({ turnId, isJson }: Of<'delete'>, { pawl, cli, options }: Context): Promise<number> {
  await pawl.turns.delete(turnId, options);
  const deleted = { id: turnId, object: 'turn', deleted: true };
  cli.stdout.write(isJson ? `${JSON.stringify(deleted)}\n` : `${turnId} is deleted.\n`);
  return 0;
}
