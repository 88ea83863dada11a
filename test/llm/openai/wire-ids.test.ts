import { expect, test } from 'vitest';
import { renderRequest } from '#core/llm/openai/render-request.ts';
import type { Message } from '#core/turn/message.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const history = (...ids: string[]): Message[] => [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: null, calls: ids.map((id) => ({ id, name: 'get weather!', arguments: '{}' })) },
  ...ids.map((id): Message => ({ role: 'tool', callId: id, name: 'get weather!', content: 'ok', isError: false })),
];

function sentIds(model: string, ...ids: string[]) {
  const request = { ...someRequest, model, instructions: null, messages: history(...ids) };
  const { messages } = renderRequest(request, { provider: 'openai', maxTokensField: 'max_tokens' });
  const [, round, ...answers] = messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
  const asked = round!.tool_calls!.map(({ id }) => id);
  expect(answers.map(({ tool_call_id }) => tool_call_id)).toEqual(asked);
  return asked;
}

test('call ids of up to 40 characters are sent unchanged', () => {
  const [kept, cut, other] = sentIds('gpt-4.1', 'x'.repeat(40), 'x'.repeat(41), 'x'.repeat(42));

  expect(kept).toBe('x'.repeat(40));
  expect(cut).toMatch(/^call_[0-9a-f]{32}$/);
  expect(other).not.toBe(cut);
});

test.each(['mistral-small', 'magistral-medium-latest', 'mistralai/Devstral-Small-2507'])(
  'call ids for %s are nine letters and digits, equal in every request',
  (model) => {
    const [own, made, other] = sentIds(model, 'aB3dE6gH9', 'call_1', 'call_2');

    expect(own).toBe('aB3dE6gH9');
    expect([made, other]).toEqual(sentIds(model, 'call_1', 'call_2'));
    expect([made, other]).toEqual([expect.stringMatching(/^[0-9a-f]{9}$/), expect.stringMatching(/^[0-9a-f]{9}$/)]);
    expect(made).not.toBe(other);
  },
);

test('an invalid tool name is sent as a valid name', () => {
  const request = { ...someRequest, instructions: null, messages: history('call_1') };
  const { messages } = renderRequest(request, { provider: 'openai', maxTokensField: 'max_tokens' });

  expect(messages[1]).toMatchObject({ tool_calls: [{ function: { name: 'get_weather_' } }] });
});

test.each([
  ['{"a": 1}', '{"a": 1}'],
  ['', '{}'],
  ['[1]', '{"invalid_arguments":"[1]"}'],
  ['{"a": ', '{"invalid_arguments":"{\\"a\\": "}'],
])('the arguments %j are sent as %j, because many servers parse them', (written, sent) => {
  const [user, round, ...rest] = history('call_1');
  const calls = [{ id: 'call_1', name: 'ping', arguments: written }];
  const request = { ...someRequest, instructions: null, messages: [user!, { ...round!, calls } as Message, ...rest] };
  const { messages } = renderRequest(request, { provider: 'openai', maxTokensField: 'max_tokens' });

  expect(messages[1]).toMatchObject({ tool_calls: [{ function: { arguments: sent } }] });
});
