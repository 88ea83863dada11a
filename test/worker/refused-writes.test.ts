import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** Creates a database for the test alone, since the test alters the schema. */
const ownDatabase = async () => ({ env: { DATABASE_URL: await createTestDatabase() } });

test('a turn with a reply that PostgreSQL refuses ends once, and asks its model once', async () => {
  await using harness = await createHarness(await ownDatabase());
  await sql`alter table turns add constraint no_forbidden_word check (output not like '%forbidden%')`.execute(
    harness.db,
  );
  const { id } = await harness.startTurn({ input: scripted({ rounds: [{ say: 'forbidden' }] }) });

  await harness.workUntilIdle({ deliveries: 3 });
  const turn = await harness.findTurn(id);

  await sql`alter table turns drop constraint no_forbidden_word`.execute(harness.db);
  expect(turn).toMatchObject({ status: 'failed', error: { type: 'internal_error', code: 'internal' } });
  expect(turn.error?.message).toBe(
    'PostgreSQL refused to store the result of this step (23514), so the turn ended. ' +
      'Report this error with the worker log.',
  );
  expect(harness.modelRequests).toHaveLength(1);
});

const REFUSE = `create function refuse() returns trigger language plpgsql as $$ begin
  raise exception 'permission denied' using errcode = '42501'; end $$;
  create trigger refuses before insert on rounds for each row execute function refuse()`;
const ALLOW = 'drop function refuse cascade';

test.each([
  ['a privilege is missing', REFUSE, ALLOW],
  [
    'a CHECK refuses the end of a turn',
    'alter table turns add constraint never_ends check (completed_at is null)',
    'alter table turns drop constraint never_ends',
  ],
])('a worker holds a model reply while %s, and makes no request until then', async (_, breaks, mends) => {
  await using harness = await createHarness(await ownDatabase());
  await sql.raw(breaks).execute(harness.db);
  await using _worker = await startBackgroundWorker(harness);
  const { id } = await harness.startTurn({ input: scripted({ rounds: [{ say: 'Hello.' }] }) });
  await waitUntil(async () => harness.modelRequests.length === 1, 'the model was asked');
  const whileBroken = await harness.findTurn(id);

  await sql.raw(mends).execute(harness.db);
  await waitUntil(async () => (await harness.findTurn(id)).status !== 'in_progress', 'the turn has ended');

  expect(whileBroken.status).toBe('in_progress');
  expect(harness.modelRequests).toHaveLength(1);
});

test('a worker with a held write begins no other step, and its readiness says why', async () => {
  await using harness = await createHarness(await ownDatabase());
  await sql.raw(REFUSE).execute(harness.db);
  await using _worker = await startBackgroundWorker(harness);
  const first = await harness.startTurn({ input: scripted({ rounds: [{ say: 'Hello.' }] }) });
  await waitUntil(async () => harness.worker.heldWrites.blocks(), 'a write is held');
  const second = await harness.startTurn({ input: scripted({ rounds: [{ say: 'Hello again.' }] }) });
  await waitUntil(async () => (await harness.parts.jobQueue.count(['pawl'])).waiting === 0, 'its job is gone');
  const { away } = await harness.parts.availability.check();
  const asked = harness.modelRequests.length;

  await sql.raw(ALLOW).execute(harness.db);
  await waitUntil(async () => {
    await harness.rescue();
    const turns = await Promise.all([first, second].map(({ id }) => harness.findTurn(id)));
    return turns.every(({ status }) => status === 'completed');
  }, 'both have ended');

  expect(away.get('database')).toBe(
    'PostgreSQL at DATABASE_URL refuses statements of Pawl (42501). Check the privileges of the role, ' +
      'and that the schema belongs to this version. Steps wait until then.',
  );
  expect(asked).toBe(1);
  expect(harness.modelRequests).toHaveLength(2);
});
