import type OpenAI from 'openai';
import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { openaiClient, raised } from '#test/api/openai/responses/openai-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { test } from '../../test.ts';

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model'>;

const tools = [{ type: 'function' as const, name: 'locate', parameters: null, strict: null }];
const asks = scripted({
  rounds: [{ tools: [{ name: 'locate', arguments: {}, id: 'call_a' }] }],
  answer: 'It is sunny.',
});
const output = { type: 'function_call_output' as const, call_id: 'call_a', output: 'Rome' };

/** Opens a conversation. Its last response hands a call over. A turn after the response was cancelled while queued. */
async function openConversation() {
  const harness = await createHarness();
  const client = openaiClient(harness);
  const conversation = (await harness.call<{ id: string }>('POST', '/v1/conversations', { body: {} })).body.id;
  const start = (body: Body) => client.responses.create({ model: 'test', background: true, ...body });
  const first = await start({ conversation, input: asks, tools });
  const { body: passed } = await harness.call<TurnResource>('POST', `/v1/conversations/${conversation}/turns`, {
    body: { model: 'openai/test', input: 'Never mind.' },
  });
  await harness.call('POST', `/v1/turns/${passed.id}/cancel`);
  await waitUntil(async () => {
    await harness.workUntilIdle();
    return (await harness.findTurn(first.id.replace('resp_', 'turn_'))).status === 'completed';
  }, 'the first response has handed its call over');
  const lastSent = () => (harness.modelRequests.at(-1)!.body as { messages: { content: unknown }[] }).messages;
  return { harness, conversation, start, lastSent, passed: passed.id.replace('turn_', 'resp_') };
}

test('calls still require outputs after a turn that was cancelled before it began', async () => {
  const { harness, conversation, start, lastSent } = await openConversation();
  await using _ = harness;

  const missing = await raised(start({ conversation, input: 'So?' }));
  expect(missing.message).toContain('No tool output found for function call call_a');
  await start({ conversation, input: [output] });
  await harness.workUntilIdle();

  expect(lastSent().at(-1)).toMatchObject({ role: 'tool', content: 'Rome' });
});

test('a response after a cancelled queued response has its input as history', async () => {
  const { harness, start, lastSent, passed } = await openConversation();
  await using _ = harness;

  await start({ previous_response_id: passed, input: 'Or do.' });
  await harness.workUntilIdle();

  expect(lastSent().slice(-2)).toMatchObject([{ content: 'Never mind.' }, { content: 'Or do.' }]);
});

test('outputs for a running conversation are refused with the conversation field', async ({ harness }) => {
  const conversation = (await harness.call<{ id: string }>('POST', '/v1/conversations', { body: {} })).body.id;
  const start = (body: Body) => openaiClient(harness).responses.create({ model: 'test', background: true, ...body });
  await start({ conversation, input: asks, tools });

  expect(await raised(start({ conversation, input: [output] }))).toMatchObject({
    ...{ status: 400, code: 'previous_response_not_finished', param: 'conversation' },
  });
});
