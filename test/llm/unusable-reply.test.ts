import { expect, test } from 'vitest';
import { bounded } from '#core/llm/bounded.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { event, openaiWire } from '#test/llm/openai-wire.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();

const bounds = { timeoutMs: 60_000, idleTimeoutMs: 60_000 };

async function ask(body: string[]) {
  await using server = await startWireServer({ body });
  const provider = openaiProvider({ name: 'odd', apiKey: null, baseUrl: server.origin, post });
  return await bounded(provider, bounds).ask(someRequest, new AbortController().signal, () => undefined);
}

const detail = (index: number, data = '') => ({ type: 'reasoning.encrypted', index, data });
const details = (...reasoning_details: object[]) => event({ reasoning_details });
const end = openaiWire.reply({ text: ['Hi.'] });

test.each([
  ['10,000 details of reasoning', [details(...Array.from({ length: 10_001 }, (_, index) => detail(index)))]],
  [
    '8 MiB of reasoning, blocks',
    Array.from({ length: 9 }, (_, index) => details(detail(index, 'a'.repeat(1024 * 1024)))),
  ],
])('a reply with more than %s to store is a bad response', async (bound, body) => {
  await expect(ask([...body, ...end])).rejects.toMatchObject({
    code: 'provider_bad_response',
    message: expect.stringContaining(`more than ${bound}`),
    retry: { kind: 'later' },
  });
});

test('a reply just within its limits is read whole', async () => {
  const args = `{"a":"${'a'.repeat(1024 * 1024 - 8)}"}`;
  const calls = Array.from({ length: 1_000 }, (_, index) => ({
    ...{ index, id: `call_${index}` },
    function: { name: 'n'.repeat(256), arguments: index === 0 ? args : '{}' },
  }));

  const reply = await ask([event({ tool_calls: calls }), event({}, 'tool_calls'), 'data: [DONE]\n\n']);

  expect(reply.calls).toHaveLength(1_000);
  expect(reply.calls[0]!.arguments).toBe(args);
});

test('a name and an id in each piece of many calls are read in linear time', async () => {
  const piece = (index: number, text: string) =>
    event({ tool_calls: [{ index, id: `call_${index}`, function: { name: 'f', arguments: text } }] });
  const rounds = ['{"a":"', ...Array.from({ length: 30 }, () => 'x'.repeat(100)), '"}'];
  const body = rounds.map((text) => Array.from({ length: 1_000 }, (_, index) => piece(index, text)).join(''));

  const reply = await ask([...body, event({}, 'tool_calls'), 'data: [DONE]\n\n']);

  expect(reply.calls).toHaveLength(1_000);
  expect(new Set(reply.calls.map((call) => call.arguments))).toEqual(new Set([rounds.join('')]));
});
