import { expect } from 'vitest';
import { type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { chunksOf, readMessage } from '../../ui-stream/read-message.ts';
import { test } from '../test.ts';
import { openaiClient } from './openai-client.ts';

const schema = {
  ...{ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  additionalProperties: false,
};
const output_schema = { name: 'place', schema };
const broken = '{"city":7}';
const fits = '{"city":"Lisbon"}';

function start(harness: Harness, repairs: string[]) {
  const input = scripted({ answer: broken, repairs: repairs.map((say) => ({ say })) });
  return harness.startTurn({ model: 'openai/test', output_schema, input });
}

async function eventsOf(harness: Harness, id: string) {
  const received = [];
  const stream = await openaiClient(harness).responses.retrieve(responseIdOf(id), { stream: true });
  for await (const event of stream) received.push(event);
  return received;
}

const responseIdOf = (id: string) => id.replace('turn_', 'resp_');

test('a repaired turn is a response and a stream with both messages', async ({ harness }) => {
  const { id } = await start(harness, [fits]);
  const client = openaiClient(harness);
  const live = client.responses.retrieve(responseIdOf(id), { stream: true });
  await using _ = await startBackgroundWorker(harness);
  const received = [];
  for await (const event of await live) received.push(event);

  const response = await client.responses.retrieve(responseIdOf(id));

  expect(response).toMatchObject({
    status: 'completed',
    error: null,
    text: { format: { type: 'json_schema', schema } },
  });
  const texts = response.output.map((item) => (item.type === 'message' ? item.content : []));
  expect(texts).toMatchObject([[{ text: broken }], [{ text: fits }]]);
  expect(new Set(response.output.map((item) => item.id)).size).toBe(2);
  expect(received.at(-1)).toMatchObject({ type: 'response.completed', response: { output: response.output } });
  const numbers = received.map(({ sequence_number: number }) => number);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  expect(joined(await eventsOf(harness, id))).toEqual(joined(received));
});

test('a turn that fails after its repair shows both messages, also after a retry', async ({ harness }) => {
  const { id } = await start(harness, ['{}', fits]);
  await harness.workUntilIdle();
  const client = openaiClient(harness);

  const failed = await client.responses.retrieve(responseIdOf(id));
  const before = await eventsOf(harness, id);
  await harness.call('POST', `/v1/turns/${id}/retry`);
  await harness.workUntilIdle();
  const retried = await client.responses.retrieve(responseIdOf(id));
  const after = await eventsOf(harness, id);

  expect(failed).toMatchObject({ status: 'failed', error: { code: 'server_error', type: 'output_schema_violated' } });
  expect(retried).toMatchObject({ status: 'completed', error: null });
  expect(before.at(-1)).toMatchObject({ type: 'response.failed', response: { output: failed.output } });
  // Events of the earlier rounds keep their numbers. Events of the new round follow the old end.
  const kept = joined(before).slice(2, -1);
  expect(joined(after).slice(2, 2 + kept.length)).toEqual(kept);
  const end = before.at(-1)!.sequence_number;
  expect(after.filter(({ sequence_number: number }) => number > end).map(({ type }) => type)).toEqual([
    ...['response.output_item.added', 'response.content_part.added', 'response.output_text.delta'],
    ...['response.output_text.done', 'response.content_part.done', 'response.output_item.done', 'response.completed'],
  ]);
  expect(retried.output.slice(0, 2)).toEqual(failed.output);
  expect(retried.output.map((item) => item.type === 'message' && item.content[0])).toMatchObject([
    ...[{ text: broken }, { text: '{}' }],
    { text: fits },
  ]);
});

test('a UI message has a step for each answer, live and afterwards', async ({ harness }) => {
  const { id } = await start(harness, [fits]);
  const live = readMessage(`${harness.url}/v1/turns/${id}/ui-stream`);
  await using _ = await startBackgroundWorker(harness);
  const { message, errors } = await live;

  const { chunks } = await chunksOf(await (await fetch(`${harness.url}/v1/turns/${id}/ui-stream`)).text());

  expect(errors).toEqual([]);
  const text = (words: string) => [{ type: 'step-start' }, { type: 'text', text: words }];
  expect(message?.parts).toMatchObject([...text(broken), ...text(fits)]);
  expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
});

/** Returns the events of a stream without deltas, since their boundaries depend on time. */
function joined(events: object[]): object[] {
  return events.filter((event) => !('delta' in event));
}
