import { expect } from 'vitest';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { changeModel, type ModelChange } from '#core/checkpoint/turns/change-model.ts';
import { endWithRound } from '#core/checkpoint/turns/end.ts';
import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { saveRound } from '#core/checkpoint/turns/save-round.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { msAgo } from '#test/harness/moments.ts';
import { startWithConfig } from '#test/harness/start-with-config.ts';
import { test } from '#test/harness/test.ts';

const FIRST = 'openai/test';
const SECOND = 'sim/second';
const error = { type: 'provider_error' as const, code: 'quota_exceeded', message: 'Used up.', retryable: false };
const reply: Reply = {
  ...{ text: 'Too late.', calls: [], finishReason: 'stop', finishReasonRaw: 'stop', usage: null, opaque: null },
};

/** Starts a turn that the run `first` has begun. */
async function begin(harness: Harness): Promise<{ before: Turn; change: ModelChange }> {
  const config = { fallback_models: [SECOND] };
  const { id } = await startWithConfig(harness, { input: 'Hi', config });
  const before = await beginTurn(harness.db, id, 'first');
  if (!before) throw new Error('The turn did not begin.');
  const at = { turnId: id, step: 'r1', generation: 0, runId: 'first', round: 1 };
  return { before, change: { ...at, from: FIRST, to: SECOND, error, requests: 1, draft: 0, published: false } };
}

const lateRound = (turnId: string) => ({
  ...{ turnId, number: 1, model: FIRST, reply, calls: [], attempts: 1, startedAt: msAgo(0), warnings: [] },
});

test('a model change restarts the round: next model, its queue, all attempts', async ({ harness }) => {
  const { change } = await begin(harness);

  const wakeups = await changeModel(harness.db, change);

  expect(wakeups).toMatchObject([{ turnId: change.turnId, step: 'r1', generation: 1, provider: 'sim' }]);
  expect(await loadTurn(harness.db, change.turnId)).toMatchObject({
    ...{ status: 'in_progress', failedRequests: 1, lastEvent: 3 },
    work: { model: SECOND, attempts: 0, starts: 0, leaseOwner: null, retryAt: null },
  });
});

test('a model change with a lost answer is written once', async ({ harness }) => {
  const { change } = await begin(harness);
  await changeModel(harness.db, change);

  expect(await changeModel(harness.db, change)).toBeNull();
  expect(await loadTurn(harness.db, change.turnId)).toMatchObject({ failedRequests: 1, lastEvent: 3 });
});

test('a run without the lease cannot change the model while another run has the lease', async ({ harness }) => {
  const { change } = await begin(harness);

  expect(await changeModel(harness.db, { ...change, runId: 'other' })).toBeNull();
});

test('a late reply of a model that the turn has left is dropped, calls or answer', async ({ harness }) => {
  const { change } = await begin(harness);
  const { turnId } = change;
  await changeModel(harness.db, change);
  const call = { ...{ id: 'call_1', name: 'look', arguments: '{}' }, effect: 'none' as const };
  const calls = [{ ...call, waitsFor: null, expiresInSeconds: null }];
  const ending = { turnId, conversationId: 'none', status: 'completed' as const, output: 'Too late.', step: 'r1' };

  const asCalls = await saveRound(harness.db, { ...lateRound(turnId), calls, webhook: null });
  const asAnswer = await endWithRound(harness.db, { ...ending, warnings: [], lastRound: lateRound(turnId) });

  expect([asCalls, asAnswer]).toEqual([null, null]);
  expect(await loadTurn(harness.db, turnId)).toMatchObject({ status: 'in_progress', rounds: [] });
});

test('a run that loaded the turn before the model change takes no lease after it', async ({ harness }) => {
  const { change } = await begin(harness);
  const before = await loadTurn(harness.db, change.turnId);
  await changeModel(harness.db, change);
  const after = await loadTurn(harness.db, change.turnId);

  expect(await takeLease(harness.db, before!, 'other')).toBeNull();
  expect(await takeLease(harness.db, after!, 'other')).toMatchObject({ draft: 0 });
});
