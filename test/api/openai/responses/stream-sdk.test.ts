import type OpenAI from 'openai';
import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { openaiClient } from './openai-client.ts';

type Event = OpenAI.Responses.ResponseStreamEvent;

const weather = {
  ...{ type: 'function' as const, name: 'get_weather', description: 'Tells the weather', strict: null },
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};
const asksAndTalks = scripted({
  rounds: [{ tools: [{ name: 'get_weather', arguments: { city: 'Rome' }, id: 'call_1' }] }],
  answer: 'It is sunny.',
});

async function all(events: AsyncIterable<Event>): Promise<Event[]> {
  const received: Event[] = [];
  for await (const event of events) received.push(event);
  return received;
}

describeQueue(({ redis }) => {
  test('the stream of the OpenAI client ends with the response that a retrieve shows', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const client = openaiClient(harness);

    const stream = client.responses.stream({ model: 'test', input: scripted({ answer: 'Hello, Ada. 🐢' }) });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const final = await stream.finalResponse();

    const { output } = await client.responses.retrieve(final.id);
    expect(text).toBe('Hello, Ada. 🐢');
    expect(final.output.map(({ id }) => id)).toEqual(output.map(({ id }) => id));
    expect(final.output_text).toBe(text);
  });
});

test('a function call is streamed whole, and answered by the next response', async ({ harness, worker: _ }) => {
  const client = openaiClient(harness);
  const body = { model: 'test', tools: [weather], stream: true as const };
  const asked = await all(await client.responses.create({ ...body, input: asksAndTalks }));
  const last = asked.at(-1) as OpenAI.Responses.ResponseCompletedEvent;
  const call = last.response.output.find((item) => item.type === 'function_call')!;
  const input = [{ type: 'function_call_output' as const, call_id: call.call_id, output: 'Sunny' }];
  const received = await all(await client.responses.create({ ...body, input, previous_response_id: last.response.id }));

  expect(asked.map(({ type }) => type).slice(-5)).toEqual([
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Rome"}' });
  expect(received.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
});

test('a retrieve streams a response from its start or after any number, repeatedly', async ({ harness }) => {
  const client = openaiClient(harness);
  const { id } = await client.responses.create({
    model: 'test',
    input: scripted({ answer: 'Hello.' }),
    background: true,
  });
  await harness.workUntilIdle();
  const read = async (starting_after?: number) =>
    all(await client.responses.retrieve(id, { stream: true, ...(starting_after !== undefined && { starting_after }) }));

  const whole = await read();
  const numbers = whole.map(({ sequence_number }) => sequence_number);
  for (const number of numbers) {
    expect(await read(number)).toEqual(whole.filter(({ sequence_number }) => sequence_number > number));
  }
  expect(whole.map(({ type }) => type).slice(0, 3)).toEqual([
    'response.created',
    'response.queued',
    'response.in_progress',
  ]);
  expect(await read()).toEqual(whole);
});

test('an invalid starting number is refused before the stream, with the usual headers', async ({ harness }) => {
  const { id } = await openaiClient(harness).responses.create({ model: 'test', input: 'Hi', background: true });
  await harness.workUntilIdle();
  const ask = (after: string) => fetch(`${harness.url}/v1/responses/${id}?stream=true&starting_after=${after}`);

  for (const after of ['-1', 'x', '1.5']) {
    const answer = await ask(after);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: 'starting_after', code: 'invalid_value' } });
  }
  const whole = await (await fetch(`${harness.url}/v1/responses/${id}?stream=true`)).text();
  const last = Number(
    whole
      .match(/"sequence_number":(\d+)/g)
      ?.at(-1)
      ?.split(':')[1],
  );
  const beyond = await ask('999');
  expect([beyond.status, await beyond.json()]).toMatchObject([
    ...[
      400,
      {
        error: { code: 'cursor_beyond_end', message: expect.stringContaining(`the last number of ${id} is ${last}.`) },
      },
    ],
  ]);
  const answer = await ask(String(last));
  expect(await answer.text()).toBe('data: [DONE]\n\n');
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform');
});
