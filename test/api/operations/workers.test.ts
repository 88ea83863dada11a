import { sql } from 'kysely';
import { connectPawl } from 'pawl/client';
import { expect } from 'vitest';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { isoAgo } from '#test/harness/moments.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const hanging = scripted({ final: { fault: { kind: 'hang' } } });

test('a worker is listed with its steps while it runs, and not after it stopped', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });
  const { id } = await harness.startTurn({ input: hanging });
  const before = isoAgo(0);

  {
    await using _worker = await startBackgroundWorker(harness);
    await waitUntil(async () => expect((await pawl.workers())[0]?.steps).toHaveLength(1));
    const [worker] = await pawl.workers();
    expect(worker).toMatchObject({ object: 'worker', concurrency: 8, steps: [{ turn_id: id, step: 'r1' }] });
    expect(worker!.id).toMatch(/^wrk_/);
    expect(worker!.steps[0]!.since >= before).toBe(true);
    expect(worker!.last_seen_at >= worker!.started_at).toBe(true);
  }

  expect(await pawl.workers()).toEqual([]);
});

test('a killed worker disappears from the list within 15 s', async ({ harness }) => {
  await sql`insert into workers (id, concurrency, last_seen_at) values
    ('wrk_dead', 8, now() - interval '12 seconds'), ('wrk_alive', 8, now() - interval '4 seconds')`.execute(harness.db);

  const { body } = await harness.call('GET', '/v1/workers');

  expect(body).toMatchObject({ object: 'list', data: [{ id: 'wrk_alive' }], has_more: false, next_cursor: null });
});
