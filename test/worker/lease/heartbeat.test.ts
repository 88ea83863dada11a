import { expect } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { msAgo } from '#test/harness/moments.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** Starts a turn with a model that never answers, and a run that waits for it. */
async function startHanging(harness: Harness) {
  const { id } = await harness.startTurn({ input: scripted({ rounds: [], final: { fault: { kind: 'hang' } } }) });
  const working = harness.workOnce();
  await waitUntil(() => expect(harness.modelRequests).toHaveLength(1));
  return { id, working };
}

const stored = (harness: Harness) =>
  harness.db
    .selectFrom('turn_states')
    .select(['lease_owner', 'status', 'step', 'generation', 'starts', 'attempts'])
    .executeTakeFirstOrThrow();

test('the lease of a long step is renewed until it ends', async ({ harness }) => {
  const { working } = await startHanging(harness);
  expect(harness.worker.heartbeat.count()).toBe(1);

  await harness.advance(4_000);
  await harness.beat();
  await harness.advance(4_000);

  expect(await harness.rescue()).toBe(0);
  harness.worker.heartbeat.stop('shutdown');
  await working;
  expect(harness.worker.heartbeat.count()).toBe(0);
});

test('a run that lost its lease to another run stops without a write', async ({ harness }) => {
  const { id, working } = await startHanging(harness);

  await harness.advance(7_000);
  await harness.db
    .updateTable('work')
    .set({ lease_owner: 'another', lease_until: new Date(msAgo(-60_000)) })
    .execute();
  await harness.beat();
  await working;

  expect(await stored(harness)).toMatchObject({ lease_owner: 'another', generation: 0, attempts: 0 });
  expect((await harness.listEvents(id)).map((event) => event.type)).toEqual(['turn.queued', 'turn.started']);
});

test('a run that is stopped for a deploy hands its step back, and uses no attempt', async ({ harness }) => {
  const { working } = await startHanging(harness);

  harness.worker.heartbeat.stop('shutdown');
  await working;

  expect(await stored(harness)).toMatchObject({
    lease_owner: null,
    status: 'in_progress',
    step: 'r1',
    generation: 1,
    starts: 0,
    attempts: 0,
  });
});

test('a turn that ends under a run stops it', async ({ harness }) => {
  const { id, working } = await startHanging(harness);

  await harness.call('POST', `/v1/turns/${id}/cancel`);
  await harness.advance(0);
  await harness.beat();
  await working;

  expect(await harness.findTurn(id)).toMatchObject({ status: 'cancelled', rounds: [] });
  await harness.modelRequests[0]?.aborted;
});
