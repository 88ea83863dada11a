import { expect, test } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { isoAgo } from '#test/harness/moments.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { converse, long } from '#test/worker/compaction/converse.ts';
import { FIRST, SECOND, startModels, THIRD } from '#test/worker/round/fallback-models.ts';
import { startTurns, statusesOf } from './open-limits.ts';

const stream = { 'content-type': 'text/event-stream' };
const answer = (headers: Record<string, string>) => ({
  headers: { ...stream, ...headers },
  body: openaiWire.reply({ text: ['Hello.'] }),
});
const inMs = (ms: number) => isoAgo(-ms);

async function runTwo(harness: Harness, model: string): Promise<string[]> {
  const [first] = await startTurns(harness, 1, { model });
  await harness.workUntilIdle();
  const [second] = await startTurns(harness, 1, { model });
  await harness.workUntilIdle();
  return statusesOf(harness, [first!, second!]);
}

const [left, reset] = ['x-ratelimit-remaining', 'x-ratelimit-reset'];

test.each([
  ['no request is left for two minutes', { [`${left}-requests`]: '0', [`${reset}-requests`]: '2m' }],
  ['no token is left for some seconds', { [`${left}-tokens`]: '0', [`${reset}-tokens`]: '10m7.66s' }],
  ['no request is left for a part of an hour', { [`${left}-requests`]: '0', [`${reset}-requests`]: '1h2m3.5s' }],
  ['the reset is in seconds', { [`${left}-requests`]: '0', [`${reset}-requests`]: '600' }],
  [
    'one limit of two is used up',
    { [`${left}-requests`]: '59', [`${reset}-requests`]: '1s', [`${left}-tokens`]: '0', [`${reset}-tokens`]: '10m0s' },
  ],
])('the next turn waits if a reply reports that %s', async (_, headers) => {
  await using models = await startModels();
  models.first.answer(answer(headers));

  const statuses = await runTwo(models.harness, FIRST);

  expect(statuses).toEqual(['completed', 'queued']);
  expect(models.first.asked).toHaveLength(1);
});

test.each([
  ['something is left', { [`${left}-requests`]: '1', [`${reset}-requests`]: '2m' }],
  ['no request is left, but no reset is known', { [`${left}-requests`]: '0' }],
  ['the reset cannot be read', { [`${left}-requests`]: '0', [`${reset}-requests`]: 'soon' }],
  ['the reset is now', { [`${left}-requests`]: '0', [`${reset}-requests`]: '0s' }],
  ['only the reset is known', { [`${reset}-requests`]: '2m' }],
  ['the rest cannot be read', { [`${left}-requests`]: 'none', [`${reset}-requests`]: '2m' }],
])('the next turn is asked if %s', async (_, headers) => {
  await using models = await startModels();
  models.first.answer(answer(headers));

  expect(await runTwo(models.harness, FIRST)).toEqual(['completed', 'completed']);
});

test.each([
  ['requests', 'queued', 600_000],
  ['input-tokens', 'queued', 600_000],
  ['output-tokens', 'queued', 600_000],
  ['tokens', 'completed', -5_000],
])('Anthropic reports the reset of its %s as a time: the next turn is %s', async (counted, status, ms) => {
  await using models = await startModels();
  const headers = {
    [`anthropic-ratelimit-${counted}-remaining`]: '0',
    [`anthropic-ratelimit-${counted}-reset`]: inMs(ms),
  };
  models.second.answer({ headers: { ...stream, ...headers }, body: anthropicWire.reply({ text: ['Hello.'] }) });

  expect(await runTwo(models.harness, SECOND)).toEqual(['completed', status]);
});

test('a turn waits for a reported reset, as after a 429, and other models are asked', async () => {
  await using models = await startModels();
  const { harness, first } = models;
  first.answer(answer({ [`${left}-requests`]: '0', [`${reset}-requests`]: '40s' }));
  await runTwo(harness, FIRST);
  const [waiting, other, leaving] = [
    await harness.startTurn({ model: FIRST, input: 'Hi' }),
    await harness.startTurn({ model: 'openai/other', input: 'Hi' }),
    await harness.startTurn({ model: FIRST, input: 'Hi', fallback_models: [THIRD] }),
  ];
  await harness.workUntilIdle();

  const found = await harness.findTurn(waiting.id);
  const waitMs = Date.parse(found.waiting!.until!) - Date.parse(found.waiting!.since);
  expect(found).toMatchObject({ status: 'queued', waiting: { for: 'provider' } });
  expect(waitMs).toBeGreaterThan(20_000);
  expect(waitMs).toBeLessThan(41_000);
  expect(await harness.findTurn(other.id)).toMatchObject({ status: 'completed' });
  expect(await harness.findTurn(leaving.id)).toMatchObject({ status: 'completed', rounds: [{ model: THIRD }] });
});

test('other workers receive that a limit is used up', async () => {
  await using models = await startModels();
  const { harness, first } = models;
  const received: unknown[] = [];
  harness.parts.pubsub.subscribeToWorkers((message) => void received.push(message));
  first.answer(answer({ [`${left}-requests`]: '0', [`${reset}-requests`]: '40s' }));

  await startTurns(harness, 1, { model: FIRST });
  await harness.workUntilIdle();

  await waitUntil(() =>
    expect(received).toContainEqual(
      expect.objectContaining({ kind: 'rate-limit', change: expect.objectContaining({ forMs: 40_000 }) }),
    ),
  );
});

test('a summary that reports a used-up limit blocks its model', async () => {
  await using models = await startModels();
  const { harness, first, third } = models;
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1, model: THIRD };
  first.answer({ body: openaiWire.reply({ text: [long] }) });
  third.answer(answer({ [`${left}-requests`]: '0', [`${reset}-requests`]: '40s' }));
  const { say } = await converse(harness, context, { model: FIRST });

  await say(long);
  await say(long);
  const turn = await say(long);
  const [next] = await startTurns(harness, 1, { model: THIRD });
  await harness.workUntilIdle();

  expect(turn).toMatchObject({ status: 'completed', compactions: [{ model: THIRD }] });
  expect(await statusesOf(harness, [next!])).toEqual(['queued']);
});
