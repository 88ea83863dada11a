import { expect, test } from 'vitest';
import type { Provider, RoundRequest } from '#core/llm/provider.ts';
import { withOwnState } from '#core/llm/refusals/with-own-state.ts';
import { settleEmpty } from '#core/llm/reply/settle-empty.ts';
import type { Message, OpaqueState } from '#core/turn/message.ts';
import type { Reply } from '#core/turn/reply.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const CAPABILITIES: Provider['capabilities'] = {
  ...{ wire: 'openai-responses', streaming: true, tools: true, parallel_tool_calls: true },
  ...{ thinking: true, structured_outputs: true, hosted_tools: [] },
};
const URL = 'https://api.example.com/v1';
const SAID: Omit<Reply, 'opaque'> = {
  ...{ text: 'Hi.', calls: [], finishReason: 'stop', finishReasonRaw: 'completed', usage: null },
};

/** Makes a provider that gives these replies, and records the states of each request. */
function scripted(
  replies: Partial<Reply>[],
  { wire, url = URL }: Partial<Provider['capabilities']> & { url?: string } = {},
) {
  const states: unknown[][] = [];
  const inner: Provider = {
    name: 'acme',
    capabilities: { ...CAPABILITIES, ...(wire && { wire }) },
    async ask({ messages }) {
      states.push(messages.map((message) => ('opaque' in message ? shown(message.opaque) : undefined)));
      return { ...SAID, opaque: null, ...replies[states.length - 1] };
    },
  };
  const provider = withOwnState(inner, url);
  const ask = (messages: Message[]) => {
    const request: RoundRequest = { ...someRequest, messages };
    return provider.ask(request, new AbortController().signal, () => undefined);
  };
  return { provider, ask, states };
}

const shown = (opaque: OpaqueState | undefined) => (opaque?.isRefused ? 'refused' : opaque?.state);

const round = ({ opaque }: Pick<Reply, 'opaque'>, provider = 'acme'): Message => {
  return { role: 'assistant', content: 'Hi.', calls: [], ...(opaque ? { opaque: { provider, state: opaque } } : {}) };
};

test('state is sent back only to its own wire and base URL', async () => {
  const first = scripted([{ opaque: { a: 1 } }, {}]);
  const reply = await first.ask([]);
  const elsewhere = scripted([{}], { url: 'https://other.example.com/v1' });
  const overAnother = scripted([{}], { wire: 'openai' });
  const moved = scripted([{}], { url: `${URL}/` });

  for (const each of [first, elsewhere, overAnother, moved]) await each.ask([round(reply)]);

  expect(first.states[1]).toEqual([{ a: 1 }]);
  expect(moved.states[0]).toEqual([{ a: 1 }]);
  expect(elsewhere.states[0]).toEqual([undefined]);
  expect(overAnother.states[0]).toEqual([undefined]);
});

test('state is sent back if the key in the base URL changed, but not its path', async () => {
  const first = scripted([{ opaque: { a: 1 } }], { url: `${URL}?api-version=1&key=secret-1` });
  const reply = await first.ask([]);
  const rotated = scripted([{}], { url: `${URL}?api-version=1&key=secret-2` });
  const elsewhere = scripted([{}], { url: 'https://api.example.com/v2?api-version=1&key=secret-1' });

  for (const each of [rotated, elsewhere]) await each.ask([round(reply)]);

  expect(rotated.states[0]).toEqual([{ a: 1 }]);
  expect(elsewhere.states[0]).toEqual([undefined]);
});

test('state of earlier versions without a base URL is sent back', async () => {
  const { ask, states } = scripted([{}]);

  await ask([round({ opaque: { a: 1 } })]);

  expect(states).toEqual([[{ a: 1 }]]);
});

test('state of all rounds before a refusal stays omitted, and later state is sent', async () => {
  const { ask, states } = scripted([{ opaque: 1 }, { opaque: 2, leftStateOut: true }, { opaque: 3 }, {}]);
  const first = await ask([]);
  const second = await ask([round(first)]);
  const third = await ask([round(first), round(second)]);
  await ask([round(first), round(second), round(third)]);

  expect(second).toMatchObject({ warnings: ['provider state was refused and left out'] });
  expect(second).not.toHaveProperty('leftStateOut');
  expect(third.warnings).toBeUndefined();
  expect(states.slice(2)).toEqual([
    ['refused', 2],
    ['refused', 2, 3],
  ]);
});

test('a reply without state also records a refusal', async () => {
  const { ask, states } = scripted([{ opaque: 1 }, { leftStateOut: true }, {}]);
  const first = await ask([]);
  const second = await ask([round(first)]);
  await ask([round(first), round(second)]);

  expect(states[2]).toEqual(['refused', undefined]);
});

test('a reply without state stores none, and the base URL is not stored', async () => {
  const { ask } = scripted([{}, { opaque: 1 }]);

  expect((await ask([])).opaque).toBeNull();
  expect(JSON.stringify((await ask([])).opaque)).not.toContain('example');
});

test('an empty reply after a state refusal is repeated without the state', async () => {
  const empty = { text: null, leftStateOut: true };
  const { provider, ask, states } = scripted([{ opaque: 1 }, empty, { opaque: 2 }, {}]);
  const first = await ask([]);
  const result: Message = { role: 'tool', callId: 'call_1', name: 'get_weather', content: '22', isError: false };
  const request = { ...someRequest, messages: [round(first), result] };
  const second = await settleEmpty(provider).ask(request, new AbortController().signal, () => undefined);
  await ask([round(first), round(second)]);

  expect(second.warnings).toEqual(['provider state was refused and left out']);
  expect(states.slice(1)).toEqual([
    [1, undefined],
    ['refused', undefined],
    ['refused', 2],
  ]);
});
