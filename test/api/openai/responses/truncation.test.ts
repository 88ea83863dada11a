import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../test.ts';
import { openaiClient } from './openai-client.ts';

const city = 'Rome '.repeat(200);
const rounds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => ({
  tools: [{ name: 'weather_lookup', arguments: { city }, id: `call_${id}` }],
}));
/** The context window of the model is too small for the results of all rounds. */
const input = scripted({ rounds, answer: 'It is sunny.', context_tokens: 6_000 });
const tools = [{ type: 'mcp' as const, server_label: 'pawl', allowed_tools: ['weather_lookup'] }];
const asked = { model: 'test', background: true, input, tools };

test('truncation auto shortens a long history as context drop_tool_results does', async ({ harness }) => {
  const client = openaiClient(harness);
  const { id } = await client.responses.create({ ...asked, truncation: 'auto' });
  await harness.workUntilIdle();

  const response = await client.responses.retrieve(id);
  const turn = await harness.findTurn(id.replace('resp_', 'turn_'));
  expect(response).toMatchObject({ status: 'completed', truncation: 'auto', output_text: 'It is sunny.' });
  expect(turn.compactions?.[0]).toMatchObject({ strategy: 'drop_tool_results', summary: null });
  const results = harness.modelRequests.at(-1)!.body.messages.filter(({ role }) => role === 'tool');
  expect(results[0]?.content).toBe('(dropped to make room)');
  expect(results.at(-1)?.content).toContain('sunny');
});

test('truncation disabled, the default, fails a response if its history is too long', async ({ harness, client }) => {
  const { id } = await client.responses.create(asked);
  await harness.workUntilIdle();

  expect(await client.responses.retrieve(id)).toMatchObject({
    ...{ status: 'failed', truncation: 'disabled' },
    error: { code: 'invalid_prompt', type: 'context_length_exceeded' },
  });
});
