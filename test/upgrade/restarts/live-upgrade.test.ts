import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { type ReceivedRequest, startSimulator } from '#simulator/start-simulator.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { testEnvironment } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { surroundings } from '#test/harness/parts/start-program.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openToolRecorder } from '#test/harness/servers/tool-recorder.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { createDatabase } from '#test/harness/stores/create-database.ts';
import { runStatement } from '#test/harness/stores/run-statement.ts';
import { untilLogged } from '#test/harness/until-logged.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** The checkout of the older version: a release, or this checkout. */
const oldRoot = process.env.PAWL_RELEASE_TREE ?? fileURLToPath(new URL('../../../', import.meta.url));

/**
 * A migration as a later version may have it. It only adds (CONTRIBUTING.md). Locks the tables first, in the order of
 * the statements of workers: in another order both could wait for each other, and PostgreSQL could end the migration.
 */
const EXPANSION = `
  begin;
  set local lock_timeout = '5s';
  lock table work, turns in access exclusive mode;
  alter table turns add column sample text not null default 'new';
  alter table work add column sample integer;
  create table samples (id text primary key);
  create index samples_of_rounds on rounds (completed_at);
  insert into kysely_migration values ('9999-sample@0123456789abcdef', '2026-01-01T00:00:00.000Z');
  commit;`;

const ROUNDS = 3;
const EACH = 6;

/** Creates a database as the older version migrates it. */
async function createOldDatabase(): Promise<string> {
  const url = await createDatabase(inject('postgresUrl'), `live_${randomBytes(6).toString('hex')}`);
  const env = { ...surroundings(), DATABASE_URL: url };
  await promisify(execFile)(process.execPath, [join(oldRoot, 'services/migrate/main.ts')], { env, cwd: oldRoot });
  return url;
}

async function startApi(env: Record<string, string>, root?: string) {
  const api = await startProcess('api', env, { root });
  return Object.assign(api, { client: apiClient(String((await untilLogged(api, 'process.ready')).url)) });
}

/** The SQLSTATEs of a deadlock, and of a lock that took too long. */
const LOCKED = ['40P01', '55P03'];

/** Applies EXPANSION. Repeats it if a lock has stopped it, as an operator repeats a migration. */
async function expand(url: string): Promise<void> {
  try {
    await runStatement(url, EXPANSION);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && LOCKED.includes(String(error.code)))) throw error;
    await expand(url);
  }
}

/** A turn, and the mark of its calls. */
type Started = { id: string; mark: string };

/** Starts turns with a mark for the calls of each. `started` gets all turns so far. */
function startingTurns(toolUrl: string, started: Started[]) {
  const more = { parameters: { type: 'object' }, effect: 'at_most_once' };
  const tools = [httpTool('note', `${toolUrl}/note`, more)];
  return async (client: ReturnType<typeof apiClient>) => {
    const marks = Array.from({ length: EACH }, () => randomBytes(6).toString('hex'));
    const start = async (mark: string) => {
      const call = (round: number) => ({ name: 'note', arguments: { mark: `${mark} ${round}` } });
      const rounds = Array.from({ length: ROUNDS }, (_, round) => ({ think_ms: 200, tools: [call(round)] }));
      const { id } = await client.startTurn({ input: scripted({ rounds, answer: `Done: ${mark}` }), tools });
      started.push({ id, mark });
    };
    await Promise.all(marks.map(start));
  };
}

describeQueues(({ redis }) => {
  test('turns continue during a migration and the replacement of all processes', async () => {
    const asked: string[] = [];
    const onRequest = ({ headers }: ReceivedRequest) => void asked.push(roundOf(headers));
    await using opened = new AsyncDisposableStack();
    const simulator = await startSimulator({ onRequest });
    opened.defer(() => simulator.stop());
    await using recorder = await openToolRecorder();
    const url = await createOldDatabase();
    const env = await testEnvironment(simulator.baseUrl, { redis, env: { DATABASE_URL: url } });
    const started: Started[] = [];
    const startTurns = startingTurns(recorder.url, started);
    await using oldApi = await startApi(env, oldRoot);
    const oldWorkers = [await startOld(env), await startOld(env)];

    await startTurns(oldApi.client);
    await waitUntil(() => asked.length > EACH, 'turns are in the middle of their work');
    await migrateAll(url);
    await expand(url);
    const codes = await Promise.all(oldWorkers.map((worker) => worker.kill('SIGTERM')));
    await using restarted = await startOld(env);
    await startTurns(oldApi.client);
    await untilLogged(restarted, 'turn.ended');
    await using newApi = await startApi(env);
    await using newWorker = await startProcess('worker', env);
    await Promise.all([startTurns(oldApi.client), startTurns(newApi.client)]);
    codes.push(await restarted.kill('SIGTERM'), await oldApi.kill('SIGTERM'));
    await startTurns(newApi.client);
    const turns = await Promise.all(started.map(({ id }) => newApi.client.untilEnded(id)));
    await untilLogged(newWorker, 'turn.ended');

    const [stored] = await runStatement(url, `select count(*)::int as count from turns where sample = 'new'`);
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(started).toHaveLength(5 * EACH);
    expect(stored?.count).toBe(started.length);
    // The model may get a round again after a lease has ended. No round is missing, and no other round is asked.
    const rounds = started.flatMap(({ id }) => Array.from({ length: ROUNDS + 1 }, (_, round) => `${id}.${round + 1}`));
    expect([...new Set(asked)].sort()).toEqual(rounds.sort());
    expectCompleted(turns, started);
    expectCalledOnce(
      turns,
      recorder.calls.map(({ mark }) => mark),
    );
  });
});

/** Reads the round of a request to the model: `<turn>.<round>.<generation>` without the generation. */
function roundOf(headers: ReceivedRequest['headers']): string {
  return String(headers['x-client-request-id']).split('.').slice(0, 2).join('.');
}

/** Expects that each turn has its output, and one result for the call of each round. */
function expectCompleted(turns: TurnResource[], started: Started[]): void {
  for (const [index, { mark }] of started.entries()) {
    const { status, output, rounds } = turns[index] as TurnResource;
    expect({ status, output }).toEqual({ status: 'completed', output: `Done: ${mark}` });
    expect(rounds.map(({ results }) => results.length)).toEqual([...Array(ROUNDS).fill(1), 0]);
    for (const [round, { results }] of rounds.entries())
      for (const result of results) expect([`${mark} ${round}`, UNKNOWN]).toContain(markOf(result));
  }
}

/** Expects that no call has run twice, and that each successful call has run. */
function expectCalledOnce(turns: TurnResource[], called: string[]): void {
  const results = turns.flatMap(({ rounds }) => rounds.flatMap((round) => round.results));
  const succeeded = results.map(markOf).filter((mark) => mark !== UNKNOWN);
  expect(called.filter((mark, index) => called.indexOf(mark) !== index)).toEqual([]);
  expect(succeeded.filter((mark) => !called.includes(mark))).toEqual([]);
  expect(new Set(succeeded).size).toBe(succeeded.length);
}

/** The category of an `at_most_once` call that a worker has begun, and lost with its lease. It never runs again. */
const UNKNOWN = 'outcome_unknown';

type Result = TurnResource['rounds'][number]['results'][number];

/** Returns the mark of a successful call, else the category of its error. */
function markOf({ status, content, error }: Result): string {
  if (status !== 'success') return String(error?.category);
  return (JSON.parse(String(content)) as { done: string }).done;
}

function startOld(env: Record<string, string>) {
  return startProcess('worker', env, { root: oldRoot });
}
