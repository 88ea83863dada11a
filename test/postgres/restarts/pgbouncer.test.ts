import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { expect, inject, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { openStream } from '#test/api/stream/open-stream.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openToolRecorder } from '#test/harness/servers/tool-recorder.ts';
import { openWebhookReceiver } from '#test/harness/servers/webhook-receiver.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { createDatabase } from '#test/harness/stores/create-database.ts';
import { openPgBouncer } from '#test/harness/stores/open-pgbouncer.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { createEndpoint } from '#test/harness/webhook-endpoint.ts';

const LEFT_OUT = 'no pgbouncer on the PATH';
const LEFT_OUT_PREPARED = 'no pgbouncer from 1.21 on, which keeps prepared statements, on the PATH';

/** Sessions at the database for all processes: fewer than the connections of each process to PgBouncer. */
const SESSIONS = 2;

describeQueues(({ redis }) => {
  /** With Redis no part listens at the database, so the direct URL is not needed. */
  const urlsOf = (url: string, directUrl: string) => ({
    DATABASE_URL: url,
    ...(redis ? {} : { DATABASE_DIRECT_URL: directUrl }),
  });

  test.for([false, true])(
    'turns, streams, webhooks and a cancel share two sessions (prepared: %s)',
    async (prepares, { skip }) => {
      const directUrl = await createTestDatabase();
      await using pooler = await openPgBouncer({ directUrl, poolSize: SESSIONS, prepares });
      if (!pooler) return skip(prepares ? LEFT_OUT_PREPARED : LEFT_OUT);
      await using recorder = await openToolRecorder();
      await using receiver = await openWebhookReceiver();
      await using harness = await createHarness({ redis, env: urlsOf(pooler.url, directUrl) });
      await using first = await startProcess('worker', harness.env);
      await using _second = await startProcess('worker', harness.env);
      receiver.trust((await createEndpoint(harness, receiver.url)).secrets);

      const marks = Array.from({ length: 12 }, (_, number) => `mark-${number}`);
      const started = await Promise.all(marks.map((mark) => harness.startTurn(bookTwice(mark, recorder.url))));
      const stream = await openStream(`${harness.url}/v1/turns/${started[0]!.id}/events`, { after: 0 });
      const slow = await harness.startTurn(callSlow(recorder.url));
      await Promise.all([recorder.called('slow'), recorder.called('book', 6)]);
      const sessions = await countSessions(directUrl);
      await harness.call('POST', `/v1/turns/${slow.id}/cancel`);
      await first.kill('SIGKILL');
      const ended = await Promise.all([...started, slow].map(({ id }) => harness.untilEnded(id)));
      await stream.over;

      expect(ended.map(({ status }) => status)).toEqual([...marks.map(() => 'completed'), 'cancelled']);
      expect(ended.slice(0, -1).every(isWhole)).toBe(true);
      const booked = recorder.calls.filter(({ tool }) => tool === 'book').map(({ mark }) => mark);
      expect(booked.length).toBe(new Set(booked).size);
      expect(stream.seen.map(({ id }) => id).filter(Boolean)).toEqual(await sequenceOf(harness, started[0]!.id));
      expect(sessions).toBeGreaterThan(0);
      expect(sessions).toBeLessThanOrEqual(SESSIONS);
      const delivered = () => receiver.received.filter(({ answered }) => answered === 204).map(({ turnId }) => turnId);
      await waitUntil(() => expect(new Set(delivered())).toEqual(new Set(ended.map(({ id }) => id))));
      recorder.release();
    },
  );

  test('turns continue automatically after PgBouncer is killed and restarted', async ({ skip }) => {
    const directUrl = await createTestDatabase();
    await using pooler = await openPgBouncer({ directUrl, poolSize: SESSIONS });
    if (!pooler) return skip(LEFT_OUT);
    await using recorder = await openToolRecorder();
    await using harness = await createHarness({ redis, env: urlsOf(pooler.url, directUrl) });
    await using _worker = await startProcess('worker', harness.env);
    const readyz = async () => (await harness.call('GET', '/readyz')).status;

    const started = await Promise.all(
      ['a', 'b', 'c', 'd'].map((mark) => harness.startTurn(bookTwice(mark, recorder.url))),
    );
    await recorder.called('book', 2);
    await pooler.kill();
    await waitUntil(async () => expect(await readyz()).toBe(503));
    await pooler.start();
    await waitUntil(async () => expect(await readyz()).toBe(200));
    const ended = await Promise.all(started.map(({ id }) => harness.untilEnded(id)));

    expect(ended.map(({ status }) => status)).toEqual(started.map(() => 'completed'));
    expect(ended.every(isWhole)).toBe(true);
    const booked = recorder.calls.map(({ mark }) => mark);
    expect(booked.length).toBe(new Set(booked).size);
  });
});

test('migrations bypass the pooler, and a worker starts behind a pooler', async ({ skip }) => {
  const directUrl = await createDatabase(inject('postgresUrl'), `empty_${randomBytes(6).toString('hex')}`);
  await using pooler = await openPgBouncer({ directUrl, poolSize: SESSIONS });
  if (!pooler) return skip(LEFT_OUT);
  const env = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: directUrl };

  await run('migrate', env);
  await using worker = await startProcess('worker', env);

  await worker.logged(/^PostgreSQL: at .+, directly at .+/);
});

test('a PgBouncer that the URL does not declare ends the start with an instruction', async ({ skip }) => {
  const directUrl = await createTestDatabase();
  await using pooler = await openPgBouncer({ directUrl, poolSize: SESSIONS });
  if (!pooler) return skip(LEFT_OUT);

  const failed = await run('worker', { DATABASE_URL: pooler.url.replace(/\?.*/, '') }).catch((error: unknown) => error);

  expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^DATABASE_URL refers to PgBouncer\. .*\n$/) });
});

/** Runs a part to its end, and rejects if the part fails. */
function run(part: string, env: Record<string, string>) {
  const main = fileURLToPath(new URL(`../../../services/${part}/main.ts`, import.meta.url));
  return promisify(execFile)(process.execPath, [main], { env: { PATH: process.env.PATH, ...env } });
}

/** Returns whether a turn has two rounds with a call each, and an answer. */
const isWhole = ({ rounds, output }: TurnResource) => rounds.length === 3 && output === 'Done.';

function bookTwice(mark: string, toolUrl: string) {
  const rounds = [1, 2].map((number) => ({
    say: 'Working.',
    tools: [{ name: 'book', arguments: { mark: `${mark}-${number}`, wait_ms: 300 } }],
    think_ms: 200,
  }));
  return { input: scripted({ rounds, answer: 'Done.' }), tools: [httpTool('book', toolUrl)] };
}

function callSlow(toolUrl: string) {
  const rounds = [{ say: 'Working.', tools: [{ name: 'slow', arguments: {} }] }];
  return { input: scripted({ rounds, answer: 'Done.' }), tools: [httpTool('slow', toolUrl)] };
}

function httpTool(name: string, toolUrl: string) {
  const execution = { kind: 'http', url: `${toolUrl}/${name}` };
  return { name, description: 'Does something that is counted', execution, effect: 'at_most_once', timeout_ms: 60_000 };
}

async function sequenceOf(harness: Harness, id: string): Promise<string[]> {
  return (await harness.listEvents(id)).map((event) => String(event.sequence_number));
}

/** Counts the sessions of PgBouncer. Listeners have their own sessions. */
async function countSessions(directUrl: string): Promise<number> {
  const sql = postgres(directUrl, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name in ('pawl', 'pawl-queue')`;
    return row?.count ?? 0;
  } finally {
    await sql.end();
  }
}
