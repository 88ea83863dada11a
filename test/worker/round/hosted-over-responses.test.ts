import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { ScriptedHosted } from '#simulator/responses/scripted-hosted.ts';
import { scripted } from '#test/harness/scripted.ts';
import { testWith } from '#test/harness/test.ts';
import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';

const test = testWith({ env: { OPENAI_WIRE: 'responses' } });

const tools = ['web_search', 'code_execution', 'image_generation'].map((type) => ({ type }));
const hosted: ScriptedHosted[] = [
  { type: 'web_search', input: { query: 'Bern' }, output: ['https://example.com'], failed: false },
  { type: 'code_execution', input: { code: '1 + 1' }, output: '2', failed: false },
  { type: 'image_generation', input: { prompt: 'A bear' }, failed: false },
];
const citations = [{ url: 'https://example.com', title: 'Example', text: 'sunny' }];
const input = scripted({ answer: 'It is sunny.', final: { reasoning: 'hm', hosted, citations } });

test('hosted calls of a turn are shown, and are sent back in the next turn', async ({ harness }) => {
  const turn = await harness.runTurn({ tools, input });
  const next = await harness.call<TurnResource>('POST', `/v1/conversations/${turn.conversation_id}/turns`, {
    body: { input: 'And?' },
  });
  await harness.workUntilIdle();

  expect(turn).toMatchObject({
    ...{ status: 'completed', output: 'It is sunny.', warnings: [] },
    output_annotations: [{ type: 'url_citation', url: 'https://example.com', start_index: 6, end_index: 11 }],
    output_parts: [{ type: 'output_image' }, { type: 'output_text', text: 'It is sunny.' }],
  });
  expect(await harness.findTurn(next.body.id)).toMatchObject({ status: 'completed' });
  const requests = harness.modelRequests.map(({ sent }) => sent);
  expect(requests.flatMap((sent) => checkOpenaiResponses(sent, { reasons: () => true }))).toEqual([]);
  expect(requests[1]).toMatchObject({
    input: [
      { role: 'user' },
      { type: 'reasoning' },
      { type: 'web_search_call', id: expect.stringMatching(/^ws_/), action: { sources: [{}] } },
      { type: 'code_interpreter_call', status: 'completed', outputs: [{ logs: '2' }] },
      { type: 'image_generation_call', result: expect.stringMatching(/^iVBORw0KGgo/) },
      { type: 'message', content: [{ text: 'It is sunny.', annotations: [{}] }] },
      { role: 'user', content: 'And?' },
    ],
  });
});

test('hosted calls of a round are sent back in the next round of the turn', async ({ harness }) => {
  const call = { name: 'weather_lookup', arguments: { city: 'Bern' } };
  const rounds = [{ reasoning: 'hm', say: 'Let me look.', hosted, tools: [call] }];

  const turn = await harness.runTurn({ tools: [...tools, 'weather_lookup'], input: scripted({ rounds }) });

  expect(turn).toMatchObject({
    ...{ status: 'completed', output: 'Done.', usage: { tool_calls: 1 } },
    rounds: [
      {
        hosted_calls: [
          { type: 'web_search', status: 'completed', output: '[{"type":"url","url":"https://example.com"}]' },
          { type: 'code_execution', input: { code: '1 + 1' }, output: '2' },
          { type: 'image_generation', input: { prompt: 'A bear' }, error: null },
        ],
      },
      { hosted_calls: [] },
    ],
  });
  const requests = harness.modelRequests.map(({ sent }) => sent as { input: { type: string }[] });
  expect(requests.flatMap((sent) => checkOpenaiResponses(sent, { reasons: () => true }))).toEqual([]);
  expect(requests[1]?.input.slice(1).map(({ type }) => type)).toEqual([
    ...['reasoning', 'web_search_call', 'code_interpreter_call', 'image_generation_call', 'message'],
    ...['function_call', 'function_call_output'],
  ]);
});
