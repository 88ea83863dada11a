import { sql } from 'kysely';
import { toFile } from 'openai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deleteFile } from '#core/checkpoint/files/files.ts';
import { makeRetention } from '#services/worker/routines/retention.ts';
import { countBlobs, image, pngOf, text, user } from '#test/api/blobs/samples.ts';
import { openaiClient } from '#test/api/openai/responses/openai-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

const createFile = async (base64: string, expires_after?: { anchor: 'created_at'; seconds: number }) =>
  openaiClient(harness).files.create({
    file: await toFile(Buffer.from(base64, 'base64'), 'cat.png'),
    purpose: 'user_data',
    ...(expires_after && { expires_after }),
  });

test('concurrent creates and deletes of a file and a turn leave one shared blob', async () => {
  for (let round = 0; round < 15; round += 1) {
    const picture = pngOf({ mark: `round ${round}` });
    const startTurn = () => harness.startTurn({ input: user(text('Look'), image(picture)) });
    const [file, turn] = [await createFile(picture), await startTurn()];
    await harness.workUntilIdle();
    const acts = [
      ...[() => createFile(picture), () => openaiClient(harness).files.delete(file.id), startTurn],
      () => harness.call('DELETE', `/v1/conversations/${turn.conversation_id}`),
    ];

    const order = round % 2 === 0 ? acts : acts.toReversed();
    await Promise.all(order.map((act) => act()));

    expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 1 });
    await harness.workUntilIdle();
    const { data } = await openaiClient(harness).files.list();
    const { rows } = await sql<{ id: string }>`select id from conversations`.execute(harness.db);
    await Promise.all([
      ...data.map(({ id }) => openaiClient(harness).files.delete(id)),
      ...rows.map(({ id }) => harness.call('DELETE', `/v1/conversations/${id}`)),
    ]);
    expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
  }
});

test('concurrent deletes of a file delete it once', async () => {
  const { id } = await createFile(pngOf({}));

  const deleted = await Promise.all([1, 2, 3].map(() => deleteFile(harness.db, 'default', id)));

  expect(deleted.toSorted()).toEqual([false, false, true]);
  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
});

test('sweeps and deletes of expired files delete each file once, in batches', async () => {
  const made = await createFile(pngOf({}), { anchor: 'created_at', seconds: 3_600 });
  await sql`
    insert into files (id, project, sha256, media_type, size, filename, purpose, expires_at)
    select left(id, -6) || lpad(number::text, 6, '0'), project, sha256, media_type, size, filename, purpose, expires_at
    from files, generate_series(1, 230) as number`.execute(harness.db);
  await harness.advance(3_600_000);
  const sweep = () => makeRetention(harness.worker).sweep();

  const counts = await Promise.all([sweep(), sweep()]);

  expect(counts[0]!.files + counts[1]!.files).toBe(231);
  expect(await deleteFile(harness.db, 'default', made.id)).toBe(false);
  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
});
