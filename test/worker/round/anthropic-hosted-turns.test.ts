import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { answer, found, serverCall, startHostedServer, words } from '#test/llm/anthropic/hosted/hosted-server.ts';

const container = { id: 'container_1', expires_at: '2999-01-01T00:00:00Z' };
const citation = { type: 'web_search_result_location', url: 'https://a.example', title: 'A', encrypted_index: 'i' };
const call: [object, ...object[]] = [
  { type: 'tool_use', id: 'toolu_1', name: 'weather_lookup', input: {} },
  { type: 'input_json_delta', partial_json: '{"city":"Bern"}' },
];

test('a turn with hosted calls and a function sends both back, in their container', async () => {
  await using server = await startHostedServer(
    answer(
      [words('Let me see.'), serverCall('s1', 'web_search', { query: 'Bern' }), found('s1', 'https://a.example')],
      {
        stop: 'pause_turn',
      },
    ),
    answer([serverCall('s2', 'web_search', { query: 'sun' }), call], { stop: 'tool_use', container }),
    answer([found('s2'), { ...words('Sunny 🌞.'), citations: [citation] }]),
    answer([words('Gladly.')]),
  );
  await using harness = await createHarness({ env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.origin } });

  const { id, conversation_id } = await harness.startTurn({
    model: 'anthropic/claude-opus-5',
    input: 'Weather?',
    tools: ['weather_lookup', { type: 'web_search' }],
  });
  await harness.workUntilIdle();
  const turn = await harness.findTurn(id);
  const { body } = await harness.call<TurnResource>('POST', `/v1/conversations/${conversation_id}/turns`, {
    body: { input: 'Thanks' },
  });
  await harness.workUntilIdle();

  expect(server.refused).toEqual([]);
  expect(turn).toMatchObject({
    status: 'completed',
    output: 'Sunny 🌞.',
    output_annotations: [{ type: 'url_citation', url: 'https://a.example', start_index: 0, end_index: 9 }],
    rounds: [
      { assistant_response: 'Let me see.', hosted_calls: [{ id: 's1', status: 'completed', offset: 11 }] },
      { hosted_calls: [{ id: 's2', status: 'completed', input: { query: 'sun' } }] },
    ],
    usage: { hosted_calls: { web_search: 2 }, llm_calls: 3, tool_calls: 1 },
  });
  expect(await harness.findTurn(body.id)).toMatchObject({ status: 'completed', output: 'Gladly.' });
  expect(server.asked.map(({ container: id }) => id)).toEqual([undefined, undefined, 'container_1', 'container_1']);
});
