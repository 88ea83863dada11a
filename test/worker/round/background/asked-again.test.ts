import { expect } from 'vitest';
import { type Harness, workUntilEnded } from '#test/harness/create-harness.ts';
import {
  answer,
  closeAll,
  HOUR_MS,
  loseWorker,
  openBackground,
  paused,
  pollOnce,
  rowsOf,
  runUntilPaused,
  start,
  test,
} from './background-turns.ts';

const ending = (end: string, code?: string) => ({
  answer,
  final: { background: { end, times: 1, ...(code && { code }) } },
});

const retries = async ({ listEvents }: Harness, id: string) =>
  (await listEvents(id)).filter(({ type }) => type === 'step.retrying');

test.for([
  ['is lost', 'lost', undefined],
  ['is cancelled by its provider', 'cancelled', undefined],
  ['fails with a temporary code', 'failed', 'server_error'],
] as const)('a response that %s is asked for again', async ([, end, code], { harness }) => {
  const { id } = await start(harness, ending(end, code));

  const turn = await workUntilEnded(harness, id);
  await closeAll(harness);

  expect(turn).toMatchObject({ status: 'completed', output: answer, usage: { llm_calls: 2 } });
  expect(harness.keptResponses.counts.creates).toBe(2);
  expect(harness.keptResponses.list()).toEqual([]);
  expect(await rowsOf(harness)).toEqual([]);
});

test('a response that fails with a permanent code fails its turn', async ({ harness }) => {
  const { id } = await start(harness, ending('failed', 'invalid_prompt'));

  const turn = await workUntilEnded(harness, id);

  expect(turn).toMatchObject({ status: 'failed', error: { type: 'provider_error' } });
  expect(harness.keptResponses.counts.creates).toBe(1);
});

test('a response that is lost while it is followed is asked for again', async ({ harness }) => {
  const { id } = await start(harness, paused);
  const { response, running } = await runUntilPaused(harness);
  harness.keptResponses.lose(response);
  await running;
  const [retrying] = await retries(harness, id);
  const again = await letItEnd(harness, id);

  expect(retrying).toMatchObject({ error: { code: 'provider_unavailable' } });
  expect(again).toMatchObject({ status: 'completed', output: answer, rounds: [{ attempts: 2 }] });
  expect(harness.keptResponses.counts.creates).toBe(2);
});

/** Runs a paused turn to its end. */
async function letItEnd(harness: Harness, id: string) {
  await harness.advance(60_000);
  await harness.rescue();
  const { response, running } = await runUntilPaused(harness);
  harness.keptResponses.skipDelay(response);
  await running;
  return await harness.findTurn(id);
}

test.for([
  [
    'queued for too long',
    { PAWL_BACKGROUND_QUEUED_MS: '5000', PAWL_MODEL_IDLE_TIMEOUT_MS: '200' },
    { queued_ms: HOUR_MS, times: 1 },
  ],
  [
    'running for too long',
    { PAWL_BACKGROUND_TIMEOUT_MS: '5000', PAWL_MODEL_IDLE_TIMEOUT_MS: '200' },
    { end: 'never', times: 1 },
  ],
] as const)('a response that is %s is cancelled and asked for again', async ([, env, background]) => {
  await using harness = await openBackground(env);
  harness.keptResponses.limits.streamWindowMs = 0;
  const { id } = await start(harness, { answer, final: { background: { stream: false, ...background } } });
  await harness.workUntilIdle();

  await pollOnce(harness);
  const { cancels } = harness.keptResponses.counts;
  const [retrying] = await retries(harness, id);
  const turn = await workUntilEnded(harness, id);
  await closeAll(harness);

  expect(cancels).toBe(1);
  expect(retrying).toMatchObject({ error: { code: 'provider_timeout' } });
  expect(turn).toMatchObject({ status: 'completed', output: answer, rounds: [{ attempts: 2 }] });
  expect(harness.keptResponses.counts).toMatchObject({ creates: 2, cancels: 1, deletes: 2 });
});

test('a response that streams for too long is cancelled and asked for again', async () => {
  await using harness = await openBackground({ PAWL_BACKGROUND_TIMEOUT_MS: '500' });
  const never = { end: 'never', end_after_chars: 4, times: 1 };
  const { id } = await start(harness, { answer, piece_chars: 4, final: { background: never } });

  await harness.workUntilIdle();
  const { cancels } = harness.keptResponses.counts;
  const turn = await workUntilEnded(harness, id);

  expect(cancels).toBe(1);
  expect(turn).toMatchObject({ status: 'completed', output: answer, rounds: [{ attempts: 2 }] });
});

test('a worker that lost its step does not ask again', async ({ harness }) => {
  const { id } = await start(harness, paused);
  const { running } = await runUntilPaused(harness);
  await loseWorker(harness, id, running);

  expect(harness.keptResponses.counts.creates).toBe(1);
  expect(await retries(harness, id)).toEqual([]);
});
