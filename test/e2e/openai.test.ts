import type OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { gather } from '../api/openai/responses/clients/gather.ts';
import { openaiClient, raised } from '../api/openai/responses/openai-client.ts';
import { scripted } from '../harness/scripted.ts';
import { startPawl } from './start-pawl.ts';
import { answered, history, time, twoRounds, weather } from './tool-loop.ts';

const says = (content: string) => [{ role: 'user' as const, content }];
const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const runnable = [weather, time].map(({ name, description, run }) => ({
  type: 'function' as const,
  function: { name, description, parameters: schema, parse: JSON.parse, function: run, strict: true as const },
}));
const tools: OpenAI.ChatCompletionFunctionTool[] = [weather, time].map(({ name, description }) => ({
  type: 'function',
  function: { name, description, parameters: schema },
}));
const person = z.object({ name: z.string(), age: z.number() });
const ada = { name: 'Ada', age: 36 };

test('chat.completions.create returns a text, and streams the same text', async () => {
  await using pawl = await startPawl();
  const { completions } = openaiClient(pawl).chat;
  const asked = { model: 'gpt-4o', messages: says(scripted({ answer: 'One word after the other.', piece_chars: 4 })) };

  const created = await completions.create(asked);
  const chunks = await gather(
    await completions.create({ ...asked, stream: true, stream_options: { include_usage: true } }),
  );

  expect(created).toMatchObject({
    ...{ id: expect.stringMatching(/^chatcmpl-/), object: 'chat.completion', model: 'gpt-4o' },
    choices: [
      { index: 0, message: { role: 'assistant', content: 'One word after the other.' }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
  });
  expect(created._request_id).toMatch(/^req_/);
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('One word after the other.');
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: created.usage });
});

test('chat.completions.parse returns an object of the schema', async () => {
  await using pawl = await startPawl();

  const { choices } = await openaiClient(pawl).chat.completions.parse({
    model: 'gpt-4o',
    messages: says(scripted({ answer: JSON.stringify(ada) })),
    response_format: zodResponseFormat(person, 'person'),
  });

  expect(choices[0]!.message.parsed).toEqual(ada);
  expect(pawl.modelRequests[0]!.body.response_format).toMatchObject({
    type: 'json_schema',
    json_schema: { name: 'person', strict: true },
  });
});

test('chat.completions.stream gives events, snapshots and the final completion', async () => {
  await using pawl = await startPawl();
  const texts: string[] = [];

  const stream = openaiClient(pawl)
    .chat.completions.stream({
      model: 'gpt-4o',
      messages: says(scripted({ answer: JSON.stringify(ada), piece_chars: 4 })),
      response_format: zodResponseFormat(person, 'person'),
      stream_options: { include_usage: true },
    })
    .on('content.delta', ({ delta }) => texts.push(delta));
  const completion = await stream.finalChatCompletion();

  expect(texts.join('')).toBe(JSON.stringify(ada));
  expect(completion.choices[0]).toMatchObject({ finish_reason: 'stop', message: { parsed: ada } });
  expect((await stream.totalUsage()).total_tokens).toBeGreaterThan(0);
});

test('chat.completions.stream gives the calls of the model', async () => {
  await using pawl = await startPawl();

  const stream = openaiClient(pawl).chat.completions.stream({ model: 'gpt-4o', messages: says(twoRounds), tools });
  const message = await stream.finalMessage();

  expect(message).toMatchObject({
    content: 'Let me see.',
    tool_calls: [
      { type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
      { type: 'function', function: { name: 'get_time', arguments: '{"city":"Oslo"}' } },
    ],
  });
});

test.each([false, true])(
  'chat.completions.runTools calls the tools until the model answers (streamed: %s)',
  async (stream) => {
    await using pawl = await startPawl();
    const { completions } = openaiClient(pawl).chat;
    const asked = { model: 'gpt-4o', messages: says(twoRounds), tools: runnable };

    const runner = stream ? completions.runTools({ ...asked, stream }) : completions.runTools(asked);

    expect(await runner.finalContent()).toBe(answered);
    expect(pawl.lastSent()).toMatchObject(history);
  },
);

test('stored completions are listed, retrieved, updated and deleted', async () => {
  await using pawl = await startPawl();
  const { completions } = openaiClient(pawl).chat;
  const asked = { model: 'gpt-4o', store: true, messages: says('Hello.') };

  const first = await completions.create({ ...asked, metadata: { topic: 'one' } });
  const second = await completions.create({ ...asked, metadata: { topic: 'two' } });
  const listed = await gather(completions.list({ limit: 1 }));
  const found = await gather(completions.list({ metadata: { topic: 'two' } }));
  const retrieved = await completions.retrieve(first.id);
  const messages = await gather(completions.messages.list(first.id));
  const updated = await completions.update(first.id, { metadata: { topic: 'three' } });
  const deleted = await completions.delete(first.id);
  const missing = await raised(completions.retrieve(first.id));

  expect(listed.map(({ id }) => id)).toEqual([first.id, second.id]);
  expect(found.map(({ id }) => id)).toEqual([second.id]);
  expect(retrieved).toMatchObject({ id: first.id, choices: first.choices, usage: first.usage });
  expect(messages).toMatchObject([{ id: expect.any(String), role: 'user', content: 'Hello.' }]);
  expect(updated).toMatchObject({ id: first.id, metadata: { topic: 'three' } });
  expect(deleted).toEqual({ id: first.id, object: 'chat.completion.deleted', deleted: true });
  expect(missing).toMatchObject({ status: 404, code: 'completion_not_found' });
});

test('a request that the provider refuses fails once, with the id of the completion', async () => {
  await using pawl = await startPawl();
  const client = openaiClient(pawl).withOptions({ maxRetries: 2 });
  const messages = says(scripted({ answer: 'Never.', final: { fault: { kind: 'status', status: 400 } } }));

  const error = await raised(client.chat.completions.create({ model: 'gpt-4o', messages }));

  expect(error.constructor.name).toBe('BadRequestError');
  expect(error).toMatchObject({ status: 400, code: 'provider_invalid_request' });
  expect(error.headers!.get('pawl-response-id')).toMatch(/^chatcmpl-/);
  expect(pawl.modelRequests).toHaveLength(1);
});
