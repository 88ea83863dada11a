import { expect, test } from 'vitest';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import type { Message } from '#core/turn/message.ts';
import type { Reply } from '#core/turn/reply.ts';
import {
  askOnce,
  refusal,
  says,
  scriptedProvider,
  usageOf,
  weather,
  withTools,
} from '#test/llm/dialects/scripted-provider.ts';

const call = { id: 'call_1', name: weather.name, arguments: '{}' };
const calls = (text: string | null = null) => says(text, { calls: [call], finishReason: 'tool_calls' });
const history: Message[] = [
  { role: 'user', content: 'Weather in Bern?' },
  { role: 'assistant', content: null, calls: [call] },
  { role: 'tool', callId: 'call_1', name: weather.name, content: '22', isError: false },
];
const last = { ...withTools, messages: history, mayCall: false, toolChoice: 'none' as const };

function native(...replies: Reply[]) {
  const provider = scriptedProvider(replies);
  return { asked: provider.asked, dialect: chooseDialect('native', provider) };
}

test('calls of a last round are dropped, and its text is the answer', async () => {
  const { dialect, asked } = native(calls('22 degrees.'));

  const { reply } = await askOnce(dialect, last);

  expect(reply).toMatchObject({ text: '22 degrees.', calls: [], finishReason: 'stop' });
  expect(asked).toEqual([last]);
});

test('a thought beside the text stays when the calls of a last round are dropped', async () => {
  const { dialect } = native({ ...calls('22 degrees.'), hasMore: true });

  expect((await askOnce(dialect, last)).reply).toMatchObject({ text: '22 degrees.', calls: [], hasMore: true });
});

test.each(['provider_invalid_request', 'model_unsupported_feature', 'provider_bad_response'])(
  'a last round refused with %s is requested without tools',
  async (code) => {
    const provider = scriptedProvider([refusal(code), says('22 degrees.')]);

    const { reply } = await askOnce(chooseDialect('native', provider), last);

    expect(reply).toMatchObject({ text: '22 degrees.', requests: 2 });
    expect(provider.asked[1]).toMatchObject({ tools: [], declaredTools: null });
  },
);

test('a last round refused after shown text fails', async () => {
  const provider = {
    name: 'scripted',
    async ask(_request: unknown, _signal: unknown, onDelta: (delta: { kind: 'text'; text: string }) => void) {
      onDelta({ kind: 'text', text: '22 de' });
      throw refusal('provider_invalid_request');
    },
  };

  const { failure, shown } = await askOnce(chooseDialect('native', provider), last);

  expect([failure.code, shown]).toEqual(['provider_invalid_request', '22 de']);
});

test('a last round with any other failure fails', async () => {
  const provider = scriptedProvider([refusal('provider_rate_limited'), says('22 degrees.')]);

  const { failure } = await askOnce(chooseDialect('native', provider), last);

  expect(failure).toMatchObject({ code: 'provider_rate_limited' });
});

test('a truncated last round stays truncated without its calls', async () => {
  const { dialect } = native({ ...calls('22'), finishReason: 'length' });

  expect((await askOnce(dialect, last)).reply).toMatchObject({ text: '22', calls: [], finishReason: 'length' });
});

test.each([
  ['after results', last],
  ['without any', { ...last, messages: [{ role: 'user' as const, content: 'Hi' }] }],
])('a last round of thoughts and calls is repeated once without tools, %s', async (_, request) => {
  const first = {
    ...calls(),
    hasMore: true,
    warnings: ['Of the first.'],
    usage: { ...usageOf(10, 1), cache_write_tokens: 4, cache_write_1h_tokens: 4 },
  };
  const { dialect, asked } = native(first, says('22 degrees.', { usage: usageOf(8, 2) }));

  const { reply } = await askOnce(dialect, request);

  expect(reply).toMatchObject({ text: '22 degrees.', calls: [], requests: 2, warnings: ['Of the first.'] });
  expect(reply.usage).toMatchObject({ input_tokens: 18, cache_write_tokens: 4, cache_write_1h_tokens: 4 });
  expect(asked).toEqual([request, { ...request, tools: [], declaredTools: null }]);
});

test('two empty last rounds are an answer after results, and otherwise a failure', async () => {
  const behind = await askOnce(native(calls(), calls()).dialect, last);
  const alone = await askOnce(native(calls(), calls()).dialect, { ...last, messages: [history[0]!] });

  expect(behind.reply).toMatchObject({ text: null, calls: [], requests: 2 });
  expect(alone.failure).toMatchObject({ code: 'provider_bad_response' });
});

test('calls of a normal round are kept', async () => {
  const { dialect } = native(calls());

  expect((await askOnce(dialect, withTools)).reply.calls).toEqual([call]);
});
