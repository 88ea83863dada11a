import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eraseAllHidden } from '#services/worker/routines/erase-hidden.ts';
import { countBlobs, file, image, PDF, PNG, pathOf, pngOf, text } from '#test/api/blobs/samples.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { asInput, compacting, lastMessages } from './compact-history.ts';

const looks = (...content: object[]) => [{ role: 'user', content: [text('Look'), ...content] }] as never;

test('images and files of a compacted input are returned as data, and outlive erasure', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { compact, create } = compacting(harness);

  const compacted = await compact({ input: looks(image(PNG), { ...file(PDF), filename: 'a.pdf' }) });
  await sql`update turns set completed_at = completed_at - interval '1 minute'`.execute(harness.db);
  await sql`update conversations set erase_due_at = now()`.execute(harness.db);
  await eraseAllHidden(harness.worker);
  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
  const { status } = await create({ input: asInput(compacted) });

  expect(compacted.output[0]).toMatchObject({
    content: [text('Look'), { ...image(PNG), detail: 'auto' }, { ...file(PDF), filename: 'a.pdf' }],
  });
  expect(status).toBe('completed');
  expect(JSON.stringify(lastMessages(harness)[0])).toContain(PNG);
});

test('images of a compacted chain and large files of an input are returned as paths', async () => {
  await using harness = await createHarness({ env: { PAWL_BODY_LIMIT: '1200000' } });
  await using _worker = await startBackgroundWorker(harness);
  const { client, compact, create } = compacting(harness);
  const { id } = await create({ input: looks(image(PNG)) });
  const large = pngOf({ bytes: 700_000 });
  const other = pngOf({ bytes: 700_000, mark: 'other' });
  const ids = await Promise.all(
    [large, other].map(async (bytes) => {
      const sent = new File([Buffer.from(bytes, 'base64')], 'a.png', { type: 'image/png' });
      return (await client.files.create({ file: sent, purpose: 'user_data' })).id;
    }),
  );

  const compacted = await compact({
    previous_response_id: id,
    input: looks(...ids.map((file_id) => ({ type: 'input_image', file_id }))),
  });
  await create({ input: asInput(compacted) });

  const shown = [PNG, large, other].map((bytes) => ({ type: 'input_image', image_url: pathOf(bytes) }));
  expect(compacted.output).toMatchObject([
    { content: [text('Look'), shown[0]] },
    { content: [text('Look'), shown[1], shown[2]] },
    { type: 'compaction' },
  ]);
  expect(JSON.stringify(lastMessages(harness)[0])).toContain(PNG);
});
