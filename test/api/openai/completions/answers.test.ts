import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { test } from '../test.ts';
import { completing, scriptedUser, startedTurn, user } from './completing.ts';

const usage = {
  ...{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const looks = { say: 'Let me look.', tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }], usage };

describeQueue(({ redis }) => {
  test('a completion is answered when its turn ends, with all fields of OpenAI’s answer', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const { complete, turnOf } = completing(harness);

    const completion = await complete({ messages: [scriptedUser({ answer: 'Hello, Ada.', final: { usage } })] });

    expect(completion).toEqual({
      ...{ id: expect.stringMatching(/^chatcmpl-[0-9a-z]{26}$/), object: 'chat.completion' },
      ...{ created: expect.any(Number), model: 'test', service_tier: 'default', system_fingerprint: null },
      choices: [
        {
          ...{ index: 0, finish_reason: 'stop', logprobs: null },
          message: { role: 'assistant', content: 'Hello, Ada.', refusal: null, annotations: [] },
        },
      ],
      usage: {
        ...{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: {
          ...{ reasoning_tokens: 2, audio_tokens: 0 },
          ...{ accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
        },
      },
      metadata: {},
    });
    expect(await turnOf(completion)).toMatchObject({ status: 'completed', output: 'Hello, Ada.' });
  });
});

test('a completion joins the texts of all rounds and adds up their usage', async ({ harness, worker: _ }) => {
  const { complete, completions } = completing(harness, { base: '/openai/v1' });
  const messages = [scriptedUser({ rounds: [looks], answer: 'It is sunny.', final: { usage } })];

  const completion = await complete({ messages, pawl: { tools: ['weather_lookup'] } });

  expect(completion).toMatchObject({
    choices: [{ finish_reason: 'stop', message: { content: 'Let me look.\n\nIt is sunny.' } }],
    usage: {
      ...{ prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 4 },
    },
  });
  expect(completion.choices[0]?.message).not.toHaveProperty('tool_calls');
  expect(await completions.retrieve(completion.id)).toEqual(completion);
});

test('a completion shows reasoning_content only if the model shows reasoning', async ({ harness, worker: _ }) => {
  const { complete } = completing(harness);

  const thought = await complete({ messages: [scriptedUser({ answer: 'Yes.', final: { reasoning: 'Hm.' } })] });
  const plain = await complete({ messages: [scriptedUser({ answer: 'Yes.' })] });

  expect(thought.choices[0]?.message).toMatchObject({ content: 'Yes.', reasoning_content: 'Hm.' });
  expect(plain.choices[0]?.message).not.toHaveProperty('reasoning_content');
});

test.each([
  ['stop', { answer: 'All.' }, { content: 'All.', refusal: null }],
  ['length', { answer: 'Half', final: { finish_reason: 'length' } }, { content: 'Half', refusal: null }],
  ['content_filter', { answer: 'So', final: { finish_reason: 'content_filter' } }, { content: 'So', refusal: null }],
  ['length', { answer: 'Odd', final: { finish_reason: 'a_new_word' } }, { content: 'Odd', refusal: null }],
  ['stop', { final: { refusal: 'I cannot.' } }, { content: null, refusal: 'I cannot.' }],
  ['stop', { final: { say: 'Well. ', refusal: 'No.' } }, { content: 'Well. ', refusal: 'No.' }],
])('finish_reason is %s for the reply %j', async (finish_reason, script, message) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);

  const { choices } = await completing(harness).complete({ messages: [scriptedUser(script)] });

  expect(choices).toMatchObject([{ finish_reason, message }]);
});

test.each([
  ['max_rounds', { limits: { max_rounds: 1 } }],
  ['max_tool_calls', { limits: { max_tool_calls: 1 } }],
])('finish_reason is length if the completion reaches %s', async (reason, limits) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { complete, turnOf } = completing(harness);
  const messages = [scriptedUser({ rounds: [looks, looks], answer: 'So far.' })];

  const completion = await complete({ messages, pawl: { tools: ['weather_lookup'], ...limits } });

  expect(completion.choices).toMatchObject([{ finish_reason: 'length' }]);
  expect(await turnOf(completion)).toMatchObject({ status: 'incomplete', incomplete_details: { reason } });
});

test.each(['max_completion_tokens', 'max_tokens'])('%s limits all rounds together', async (field) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { complete } = completing(harness);
  const body = { messages: [scriptedUser({ rounds: [looks], answer: 'Sunny.' })], pawl: { tools: ['weather_lookup'] } };

  const whole = await complete({ ...body, [field]: 100 });
  const cut = await complete({ ...body, [field]: 5 });

  const asked = harness.modelRequests.map(({ sent }) => sent.max_completion_tokens ?? sent.max_tokens);
  expect(asked.slice(0, 2)).toEqual([100, 95]);
  expect(asked.slice(2)).toEqual([5]);
  expect([whole, cut].map(({ choices }) => choices[0]?.finish_reason)).toEqual(['stop', 'length']);
});

test('a running completion is retrieved without an end, or after a wait', async ({ harness, worker: _ }) => {
  const { complete, completions } = completing(harness);
  const gate = harness.holdModel();
  const answering = complete({ messages: [scriptedUser({ answer: 'Hello.' })] });
  await gate.reached;
  const id = (await startedTurn(harness)).replace('turn_', 'chatcmpl-');

  const running = await completions.retrieve(id);
  const waited = harness.call('GET', `/v1/chat/completions/${id}?wait=60`);
  gate.open();

  expect(running).toMatchObject({
    ...{ id, object: 'chat.completion', usage: null },
    choices: [{ index: 0, finish_reason: null, message: { role: 'assistant', content: null } }],
  });
  const completion = await answering;
  expect((await waited).body).toEqual(completion);
  expect(completion).toMatchObject({ id, choices: [{ finish_reason: 'stop' }] });
});

test('a completion that is cancelled during the request ends with stop', async ({ harness }) => {
  const { complete } = completing(harness);
  const answering = complete({ messages: [user('Hi')] });
  const id = await startedTurn(harness);

  await harness.call('POST', `/v1/turns/${id}/cancel`);

  expect(await answering).toMatchObject({ choices: [{ finish_reason: 'stop', message: { content: null } }] });
});
