import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const tool = (url: string) => ({
  name: 'look_up',
  description: 'Looks something up',
  effect: 'idempotent',
  parameters: { type: 'object', properties: {} },
  execution: { kind: 'http', url: `${url}/slow` },
});
const input = scripted({ rounds: [{ tools: [{ name: 'look_up', arguments: {} }] }], answer: 'Got {{results}}' });

test('a worker resumes a step that another worker took over and handed back', async ({ recorder }) => {
  await using first = await createHarness();
  await using second = await createHarness({ env: { ...first.env } });
  const { id } = await first.startTurn({ input, tools: [tool(recorder.url)] });
  await first.workOnce();

  const stopped = second.workOnce();
  await recorder.called('slow', 1);
  second.worker.heartbeat.stop('shutdown');
  await stopped;
  const working = first.workOnce();
  await recorder.called('slow', 2);
  await first.beat();
  recorder.release();
  await working;
  await first.workUntilIdle();

  const turn = await first.findTurn(id);
  expect([turn.status, recorder.calls.length]).toEqual(['completed', 2]);
});

test('a step that was just made due does not start after its turn is cancelled', async ({ harness, recorder }) => {
  const { id } = await harness.startTurn({ input, tools: [tool(recorder.url)] });
  await harness.workOnce();

  recorder.release();
  await harness.call('POST', `/v1/turns/${id}/cancel`);
  await harness.untilReceived('cancelled', id);
  await harness.workUntilIdle();

  expect(recorder.calls).toHaveLength(0);
});

test('a cached turn for a step is not used for the next step from another worker', async () => {
  await using first = await createHarness();
  await using second = await createHarness({ env: { ...first.env } });
  const { id } = await first.startTurn({ input: 'How warm is it?', tools: ['weather_lookup'] });

  await first.workOnce();
  await second.workOnce();
  await first.workOnce();

  expect((await first.findTurn(id)).status).toBe('completed');
});

test('a step that is delivered again is read again, and its finished work stays', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'How warm is it?', tools: ['weather_lookup'] });

  await harness.workUntilIdle({ deliveries: 2 });

  expect((await harness.findTurn(id)).status).toBe('completed');
  expect(harness.modelRequests).toHaveLength(2);
});
