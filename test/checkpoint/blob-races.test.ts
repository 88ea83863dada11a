import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deleteConversation } from '#core/checkpoint/deletion/delete-conversation.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { eraseAllHidden } from '#services/worker/routines/erase-hidden.ts';
import { countBlobs, image, PNG, pathOf, pngOf, text, user } from '#test/api/blobs/samples.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { makeUnstored } from '#test/harness/hidden-turns.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

const statusOf = async (path: string) => (await fetch(`${harness.url}${path}`)).status;
const remove = (turn: TurnResource) => harness.call('DELETE', `/v1/conversations/${turn.conversation_id}`);

async function endedTurn(...parts: object[]): Promise<TurnResource> {
  const turn = await harness.startTurn({ input: user(text('Look'), ...parts) });
  await harness.workUntilIdle();
  return turn;
}

test('a blob is deleted with the last conversation that refers to it', async () => {
  const [one, two] = [await endedTurn(image(PNG)), await endedTurn(image(PNG), image(pngOf({ mark: 'other' })))];

  await remove(two);
  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 1 });
  expect(await statusOf(pathOf(PNG))).toBe(200);
  await remove(one);

  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
  expect(await statusOf(pathOf(PNG))).toBe(404);
});

test('a blob of a deleted response is hidden, and deleted with its last dependent', async () => {
  const input = user(text('Look'), image(PNG));
  const create = (body: object) =>
    harness.call<{ id: string }>('POST', '/v1/responses', {
      body: { model: 'openai/test', background: true, ...body },
    });
  const { body: first } = await create({ input });
  await harness.workUntilIdle();
  const { body: second } = await create({ input: 'And now?', previous_response_id: first.id });
  await harness.workUntilIdle();

  await harness.call('DELETE', `/v1/responses/${first.id}`);
  await eraseAllHidden(harness.worker);
  expect([await statusOf(pathOf(PNG)), await countBlobs(harness)]).toEqual([404, { blobs: 1, references: 1 }]);
  const { body: third } = await create({ input: 'Still?', previous_response_id: second.id });
  await harness.workUntilIdle();
  expect(JSON.stringify(harness.modelRequests.at(-1)?.body)).toContain(PNG);
  for (const { id } of [second, third]) await harness.call('DELETE', `/v1/responses/${id}`);
  await eraseAllHidden(harness.worker);

  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
});

test('a turn that is not stored deletes its blobs', async () => {
  const turn = await endedTurn(image(PNG));
  await makeUnstored(harness, turn.id);
  expect([await statusOf(pathOf(PNG)), await countBlobs(harness)]).toEqual([404, { blobs: 1, references: 1 }]);

  await sql`update turns set completed_at = completed_at - interval '1 hour'`.execute(harness.db);
  await eraseAllHidden(harness.worker);

  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
});

test('a client that sends a blob during the delete of its last reference keeps it', async () => {
  for (let round = 0; round < 30; round += 1) {
    const mark = `round ${round}`;
    const blobs = [image(pngOf({ mark })), image(pngOf({ mark: `${mark} too` }))];
    const before = await endedTurn(...blobs);
    const posting = (parts: object[]) => () => harness.startTurn({ input: user(...parts) });
    const acts = [posting(blobs), () => remove(before), posting(blobs.toReversed()), posting(blobs)];

    const order = round % 2 === 0 ? acts : acts.toReversed();
    await Promise.all(order.map((act) => act()));

    expect(await countBlobs(harness)).toEqual({ blobs: 2, references: 6 });
    await harness.workUntilIdle();
    const { rows } = await sql<{ id: string }>`select id from conversations`.execute(harness.db);
    await Promise.all(rows.map(({ id }) => harness.call('DELETE', `/v1/conversations/${id}`)));
    expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
  }
});

test.each([true, false])('a create waits for a running delete, and keeps the blob (committed: %s)', async (commits) => {
  const turn = await endedTurn(image(PNG));
  const deleting = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();

  const deletion = inTransaction(async (trx) => {
    await deleteConversation(trx, 'default', turn.conversation_id);
    deleting.resolve();
    await mayEnd.promise;
    if (!commits) throw new Error('rolled back');
  }).catch(() => {});
  await deleting.promise;
  const posted = harness.startTurn({ input: user(image(PNG)) });
  mayEnd.resolve();
  await Promise.all([posted, deletion]);

  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: commits ? 1 : 2 });
});

test('concurrent deletes of a fork and of turns with the same images both end', async () => {
  const [one, other] = ['a', 'b'].map((mark) => pngOf({ mark })).sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
  const origin = await endedTurn(image(one!));
  const fork = async (body: object) =>
    (await harness.call<TurnResource>('POST', `/v1/turns/${origin.id}/fork`, { body })).body;
  await fork({ after_round: 0, input: 'Before it' });
  const behind = await fork({ input: user(text('Behind it'), image(other!)) });
  const both = await endedTurn(image(one!), image(other!));
  await harness.call('DELETE', `/v1/turns/${origin.id}`);
  const held = Promise.withResolvers<void>();
  const mayGo = Promise.withResolvers<void>();

  const holder = inTransaction(async (trx) => {
    await sql`select from turns where id = ${origin.id} for update`.execute(trx);
    held.resolve();
    await mayGo.promise;
  });
  await held.promise;
  const deletes = [remove(behind)];
  await untilWaiting(1);
  deletes.push(remove(both));
  await untilWaiting(2);
  mayGo.resolve();
  const answers = await Promise.all(deletes);
  await holder;

  expect(answers.map(({ status }) => status)).toEqual([204, 204]);
  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
});

async function untilWaiting(count: number): Promise<void> {
  const waiting = sql<{ count: number }>`
    select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  while ((await waiting.execute(harness.db)).rows[0]!.count < count);
}

function inTransaction<Result>(act: (trx: Trx) => Promise<Result>): Promise<Result> {
  return harness.db.transaction().execute(act);
}
