import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { plainProject } from '#core/project.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { makeProjects } from '#services/process/projects.ts';
import { readSettings } from '#services/process/settings.ts';
import { makeRetention } from '#services/worker/routines/retention.ts';
import { image, PNG, text, user } from '#test/api/blobs/samples.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { fork } from '#test/harness/hidden-turns.ts';
import { scripted } from '#test/harness/scripted.ts';
import { dumpTables } from '#test/harness/stores/dump-tables.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const PROJECTS = 'a:key-of-a,b:key-of-b';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

test('old turns are erased with their conversation and all dependent rows', async () => {
  const webhook = { url: 'http://127.0.0.1:9/', events: ['turn.completed'] };
  const old = await endedTurn({ input: user(text('purple'), image(PNG)), webhook, metadata: { of: 'purple' } });
  await passDays(8);
  const young = await endedTurn({ input: 'Young.' });

  const counts = await sweep({ days: 7 });
  const dump = await dumpTables(harness.db);

  expect(counts).toEqual({ turns: 1, conversations: 1, files: 0 });
  const counted = await harness.worker.metrics.registry.metrics();
  expect(counted).toContain('pawl_retention_deleted_total{kind="turns"} 1\n');
  expect(counted).toContain('pawl_retention_deleted_total{kind="conversations"} 1\n');
  expect(['purple', old.id, old.conversation_id].map((word) => dump.includes(word))).toEqual([false, false, false]);
  expect(await harness.call('GET', `/v1/conversations/${old.conversation_id}`)).toMatchObject({ status: 404 });
  expect((await harness.findTurn(young.id)).status).toBe('completed');
  const metrics = await (await fetch(`${harness.url}/metrics`)).text();
  for (const kind of ['turns', 'conversations'])
    expect(metrics).toContain(`pawl_retention_deleted_total{kind="${kind}"} 1\n`);
});

test('an old turn of an active conversation is removed, and later turns do not send it', async () => {
  const old = await endedTurn({ input: 'purple' });
  await passDays(8);
  const next = (input: string) =>
    harness.call<TurnResource>('POST', `/v1/conversations/${old.conversation_id}/turns`, { body: { input } });
  await next('Second.');
  await harness.workUntilIdle();

  const counts = await sweep({ days: 7 });
  await next('Third.');
  await harness.workUntilIdle();

  expect(counts).toEqual({ turns: 1, conversations: 0, files: 0 });
  const sent = harness.modelRequests.map(({ body }) => JSON.stringify(body.messages));
  expect(sent.map((messages) => messages.includes('purple'))).toEqual([true, true, false]);
  expect(sent[2]).toContain('Second.');
});

test('active turns stay at any age, and all turns stay without a retention', async () => {
  const input = scripted({ rounds: [{ tools: [{ name: 'locate_user', arguments: {} }] }] });
  const tools = [{ name: 'locate_user', description: 'Asks the device where the user is' }];
  const waiting = await endedTurn({ input, tools });
  await endedTurn({ input: 'Hi' });
  await passDays(4_000);

  const forEver = await sweep({ days: null });
  const counts = await sweep({ days: 7 });

  expect([forEver, counts]).toEqual([
    { turns: 0, conversations: 0, files: 0 },
    { turns: 1, conversations: 1, files: 0 },
  ]);
  expect((await harness.findTurn(waiting.id)).status).toBe('requires_action');
});

test('a fork keeps the old turns that it is based on, and they are erased with it', async () => {
  const [origin, later] = [await endedTurn({ input: 'purple' }), await endedTurn({ input: 'Other.' })];
  await passDays(8);
  const forked = await fork(harness, origin.id);
  await harness.workUntilIdle();

  const first = await sweep({ days: 7 });
  const kept = await dumpTables(harness.db);
  const reads = await Promise.all([
    harness.call('GET', `/v1/turns/${origin.id}`),
    harness.call('GET', `/v1/conversations/${origin.conversation_id}`),
  ]);
  await passDays(8);
  const second = await sweep({ days: 7 });

  expect(first).toEqual({ turns: 1, conversations: 1, files: 0 });
  expect([kept.includes('purple'), kept.includes(later.id)]).toEqual([true, false]);
  expect(reads.map(({ status }) => status)).toEqual([404, 404]);
  expect(second).toEqual({ turns: 2, conversations: 2, files: 0 });
  expect(await dumpTables(harness.db)).not.toContain(forked);
});

test('a project may set its own retention, and projects without a key are swept too', async () => {
  await using shared = await createHarness({ env: { PAWL_API_KEYS: PROJECTS } });
  for (const project of ['a', 'b']) {
    const headers = { authorization: `Bearer key-of-${project}` };
    await shared.call('POST', '/v1/turns', { body: { model: 'openai/test', input: project }, headers });
  }
  await shared.workUntilIdle();
  await sql`update turns set completed_at = completed_at - interval '8 days'`.execute(shared.db);

  const projects = makeProjects([{ ...plainProject('a'), retentionDays: 30 }]);
  await makeRetention({ ...shared.worker, projects, retention: { days: 7, sweepMs: 10 } }).sweep();

  const left = await sql<{ project: string }>`select project from turns`.execute(shared.db);
  expect(left.rows).toEqual([{ project: 'a' }]);
});

test('a conversation without turns is deleted by the age of its creation', async () => {
  const create = (key: string, model = 'openai/test') =>
    harness.call<{ id: string }>('POST', '/v1/conversations', { body: { model }, headers: { 'idempotency-key': key } });
  const { body: old } = await create('old');
  await passDays(8);
  const { body: young } = await create('young');

  const counts = await sweep({ days: 7 });
  const again = [await create('old'), await create('old', 'sim/demo')];

  expect(counts).toEqual({ turns: 0, conversations: 1, files: 0 });
  expect(again.map(({ status }) => status)).toEqual([404, 404]);
  const reads = [old, young].map(({ id }) => harness.call('GET', `/v1/conversations/${id}`));
  expect((await Promise.all(reads)).map(({ status }) => status)).toEqual([404, 200]);
});

test('turns beyond the size of a batch are erased in several batches', async () => {
  const { id } = await endedTurn({ input: 'Hi' });
  await sql`insert into conversations (id, project, config, metadata) select 'conv_' || n, 'default', '{}', '{}'
    from generate_series(1, 1200) as n`.execute(harness.db);
  await sql`insert into turns (id, project, conversation_id, position, priority, config, input, metadata, status,
      output, started_at, completed_at)
    select 'turn_' || n, project, case when n % 2 = 0 then 'conv_' || n else 'conv_1' end, n, priority, config, input,
      metadata, status, '', now(), now()
    from turns, generate_series(1, 1200) as n where id = ${id}`.execute(harness.db);
  await passDays(8);

  expect(await sweep({ days: 7 })).toEqual({ turns: 1201, conversations: 1201, files: 0 });
});

test('a conversation expires after the end of its last turn, never with an active turn', async () => {
  const body = { model: 'openai/test', input: 'purple', expires_in_seconds: 3600 };
  const { body: created } = await harness.call<{ id: string; turn: TurnResource }>('POST', '/v1/conversations', {
    body,
  });
  const read = () => harness.call<{ expires_at: string }>('GET', `/v1/conversations/${created.id}`);
  await pass(4_000);
  const active = await read();
  await sweep({ days: null });
  await harness.workUntilIdle();
  const ended = await read();
  const turn = await harness.findTurn(created.turn.id);
  await pass(4_000);

  const counts = await sweep({ days: null });

  expect(active).toMatchObject({ status: 200, body: { expires_in_seconds: 3600, expires_at: null } });
  expect(Date.parse(ended.body.expires_at)).toBe(Date.parse(turn.completed_at!) + 3_600_000);
  expect(counts).toEqual({ turns: 1, conversations: 1, files: 0 });
  expect((await read()).status).toBe(404);
  expect(await dumpTables(harness.db)).not.toContain('purple');
});

test('an unused conversation expires after its creation, and a used conversation stays', async () => {
  const create = () =>
    harness.call<{ id: string }>('POST', '/v1/conversations', {
      body: { model: 'openai/test', expires_in_seconds: 60 },
    });
  const [unused, used] = [(await create()).body.id, (await create()).body.id];
  await pass(50);
  await harness.call('POST', `/v1/conversations/${used}/turns`, { body: { input: 'Hi' } });
  await harness.workUntilIdle();
  await pass(20);

  const first = await sweep({ days: null });
  const left = await harness.call('GET', `/v1/conversations/${used}`);
  await pass(50);
  const second = await sweep({ days: null });

  expect([first, left.status]).toEqual([{ turns: 0, conversations: 1, files: 0 }, 200]);
  expect(await harness.call('GET', `/v1/conversations/${unused}`)).toMatchObject({ status: 404 });
  expect(second).toEqual({ turns: 1, conversations: 1, files: 0 });
});

test('a conversation with a changed expiry is checked again', async () => {
  const body = { model: 'openai/test' };
  const { body: created } = await harness.call<{ id: string }>('POST', '/v1/conversations', { body });
  await harness.call('PATCH', `/v1/conversations/${created.id}`, { body: { expires_in_seconds: 60 } });
  await sweep({ days: null });
  await pass(70);

  expect(await sweep({ days: null })).toEqual({ turns: 0, conversations: 1, files: 0 });
});

test('a worker sweeps automatically by its settings, and can stop in the middle', async () => {
  await using own = await createHarness({ env: { PAWL_RETENTION_DAYS: '0.00001', PAWL_RETENTION_SWEEP_MS: '50' } });
  const worker = await startBackgroundWorker(own);
  const { id } = await own.startTurn({ input: 'Hi' });

  await waitUntil(async () => expect((await own.call('GET', `/v1/turns/${id}`)).status).toBe(404));
  await worker[Symbol.asyncDispose]();
});

test('days of retention that are not a number above 0 stop the start with a message', () => {
  for (const given of ['0', '-1', 'never'])
    expect(() => readSettings({ PAWL_RETENTION_DAYS: given })).toThrow(
      'PAWL_RETENTION_DAYS: give days as a number above 0',
    );
});

function sweep({ days }: { days: number | null }) {
  return makeRetention({ ...harness.worker, retention: { days, sweepMs: 10 } }).sweep();
}

async function endedTurn(request: Record<string, unknown>): Promise<TurnResource> {
  const turn = await harness.runTurn(request);
  return turn;
}

const passDays = (days: number) => pass(days * 86_400);

/** Lets time pass for the stored rows. */
async function pass(seconds: number): Promise<void> {
  const earlier = sql`make_interval(secs => ${seconds})`;
  await sql`update turns set created_at = created_at - ${earlier}, completed_at = completed_at - ${earlier}`.execute(
    harness.db,
  );
  await sql`update idempotency_keys set created_at = created_at - ${earlier}`.execute(harness.db);
  await sql`update conversations set created_at = created_at - ${earlier}, expiry_due_at = expiry_due_at - ${earlier}`.execute(
    harness.db,
  );
}
