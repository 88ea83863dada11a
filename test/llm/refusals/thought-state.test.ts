import { expect, test } from 'vitest';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { geminiProvider } from '#core/llm/gemini/gemini-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { AS_IT_CAME, nextThoughtState } from '#core/llm/refusals/thought-state.ts';
import type { Message } from '#core/turn/message.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { geminiWire } from '#test/llm/gemini-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { responsesWire } from '#test/llm/responses-wire.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();
const weather = Tool.parse({ name: 'get_weather' });
const options = { name: 'gateway', apiKey: null, post };
const WIRES = {
  openai: { wire: openaiWire, make: (url: string) => openaiProvider({ ...options, baseUrl: `${url}/v1` }) },
  responses: {
    wire: responsesWire,
    make: (url: string) => openaiResponsesProvider({ ...options, baseUrl: `${url}/v1` }),
  },
  anthropic: { wire: anthropicWire, make: (baseUrl: string) => anthropicProvider({ ...options, baseUrl }) },
  gemini: { wire: geminiWire, make: (baseUrl: string) => geminiProvider({ ...options, baseUrl }) },
};
type Wire = keyof typeof WIRES;

const thinking = { type: 'thinking', thinking: 'Hm', signature: 'SIGNED' };
const details = [{ type: 'reasoning.text', text: 'Hm', signature: 'SIGNED' }];
const signed = { google: { thought_signature: 'SIGNED' } };
const dummy = 'skip_thought_signature_validator';
const STATES: Record<Wire, object> = {
  openai: {
    message: { thinking_blocks: [thinking], reasoning_details: details },
    asked: [{ id: 'get_weather:0', fields: { extra_content: signed } }],
  },
  responses: {
    items: [
      { type: 'reasoning', summary: [], encrypted_content: 'SIGNED' },
      { type: 'function_call', call_id: 'get_weather:0', call: 0 },
    ],
  },
  anthropic: { blocks: [thinking, { type: 'tool_use', call: 0, id: 'get_weather:0' }] },
  gemini: { parts: [{ call: 0, id: 'get_weather:0', thoughtSignature: 'SIGNED' }] },
};

const history = (state?: object): Message[] => [
  { role: 'user', content: 'Weather in Bern?' },
  {
    ...{ role: 'assistant', content: null, calls: [{ id: 'call_1', name: 'get_weather', arguments: '{}' }] },
    ...(state ? { opaque: { provider: 'gateway', state } } : {}),
  },
  { role: 'tool', callId: 'call_1', name: 'get_weather', content: '22', isError: false },
];

const refuse = (message: string, status = 400): Answer => ({
  ...{ status, headers: { 'content-type': 'application/json' } },
  body: [JSON.stringify({ type: 'error', error: { message, code: status } })],
});

/** Starts a provider of this wire. Its server gives these refusals, and answers the next request. */
async function start(name: Wire, ...refusals: Answer[]) {
  const { wire, make } = WIRES[name];
  const server = await startWireServer(...refusals, { body: wire.reply({ text: ['Hi.'] }) });
  const ask = (messages: Message[], change: Partial<RoundRequest> = {}) => {
    const request = { ...someRequest, tools: [weather], declaredTools: [weather], messages, ...change };
    return make(server.origin).ask(request, new AbortController().signal, () => {});
  };
  const sent = () => server.asked.map(({ body }) => JSON.stringify(body));
  return { server, ask, sent, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const INVALID = [
  'messages.1.content.0: Invalid `signature` in `thinking` block',
  'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
  'messages.1.content.0.thinking.signature: Field required',
  'Corrupted thought signature.',
  'Unable to submit request because Thought signature is not valid.. Learn more',
  'Provider returned error: reasoning_details.0.signature: Invalid value',
];
const names = Object.keys(WIRES) as Wire[];
/** OpenAI's refusals of the items of a reply. */
const OF_ITEMS = [
  'The encrypted content gAAA...c90= could not be verified.',
  "Item with id 'rs_68af' not found. Items are not persisted when `store` is set to false.",
  "Item 'rs_68af' of type 'reasoning' was provided without its required following item.",
  'Reasoning input items can only be provided to a reasoning or computer use model. Remove reasoning items from your input and try again.',
  'No tool output found for custom tool call call_68af.',
];
/** OpenAI's refusal of a field from its own reply. */
const OF_FIELD = "Unknown parameter: 'input[2].phase'.";
const cases = names.flatMap((name) => INVALID.map((words) => [name, words] as const));

test.each(cases)('%s: thought state of another model is omitted if the server says %j', async (name, words) => {
  await using gateway = await start(name, refuse(words));

  const reply = await gateway.ask(history(STATES[name]));

  const [first, second] = gateway.sent();
  expect(reply.text).toBe('Hi.');
  expect(gateway.server.asked).toHaveLength(2);
  expect(first).toContain('SIGNED');
  expect(second).not.toContain('SIGNED');
  expect(second!.split('get_weather:0')).toHaveLength(3);
});

test.each([...OF_ITEMS, OF_FIELD])(
  'responses: items of all replies become text and calls if OpenAI says %j',
  async (words) => {
    await using gateway = await start('responses', refuse(words, words.includes('not found') ? 404 : 400));

    const reply = await gateway.ask([...history(STATES.responses), { role: 'user', content: 'And now?' }]);

    const [, second] = gateway.sent();
    expect(reply).toMatchObject({ text: 'Hi.', leftStateOut: true });
    expect(second).not.toContain('SIGNED');
    expect(second!.split('get_weather:0')).toHaveLength(3);
    expect(gateway.server.asked).toHaveLength(2);
  },
);

test.each(names)('%s: thought state is sent again with the next request', async (name) => {
  await using gateway = await start(name, refuse(INVALID[0]!));

  await gateway.ask(history(STATES[name]));
  await gateway.ask(history(STATES[name]));

  expect(gateway.sent().map((body) => body.includes('SIGNED'))).toEqual([true, false, true]);
});

test.each(names)('%s: a refusal of thought state inside a 200 counts', async (name) => {
  const inside = refuse(INVALID[0]!).body![0];
  await using gateway = await start(name, { body: [`event: error\ndata: ${inside}\n\n`] });

  await gateway.ask(history(STATES[name]));

  expect(gateway.sent().map((body) => body.includes('SIGNED'))).toEqual([true, false]);
});

test.each(names)('%s: a history without thought state is refused once', async (name) => {
  await using gateway = await start(name, refuse(INVALID[0]!));

  await expect(gateway.ask(history())).rejects.toMatchObject({ code: 'provider_invalid_request' });
  expect(gateway.server.asked).toHaveLength(1);
});

test.each(names)('%s: a server that always refuses thought state gets two requests', async (name) => {
  await using gateway = await start(name, refuse(INVALID[0]!), refuse(INVALID[0]!), refuse(INVALID[0]!));

  await expect(gateway.ask(history(STATES[name]))).rejects.toMatchObject({ code: 'provider_invalid_request' });
  expect(gateway.server.asked).toHaveLength(2);
});

const KIMI = 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2';
const DEEPSEEK = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
const GEMINI = 'Function call is missing a thought_signature in functionCall parts. This is required for tools to work';
const MISSED = 'The `content[].thinking` in the thinking mode must be passed back to the API.';
const BEGINS =
  'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block';

test.each([
  ['openai', 'kimi-k2', KIMI, '"reasoning_content":""'],
  ['openai', 'deepseek', DEEPSEEK, '"reasoning_content":""'],
  ['openai', 'some-model', GEMINI, `"extra_content":{"google":{"thought_signature":"${dummy}"}}`],
  ['anthropic', 'deepseek', MISSED, '{"type":"thinking","thinking":"","signature":""},{"type":"tool_use"'],
  ['gemini', 'some-model', GEMINI, `"thoughtSignature":"${dummy}"`],
] as const)('%s: %s gets an empty thought state if it says %j', async (name, model, words, state) => {
  await using gateway = await start(name, refuse(words));

  await gateway.ask(history(), { model });

  expect(gateway.sent().map((body) => body.includes(state))).toEqual([false, true]);
});

test('anthropic: a round is sent as text if Claude requires a missing thought', async () => {
  await using gateway = await start('anthropic', refuse(BEGINS));

  await gateway.ask(history(), { model: 'claude-opus', providerOptions: { thinking: { type: 'enabled' } } });

  const [, second] = gateway.sent();
  expect(second).not.toContain('tool_use');
  expect(second).toContain('22');
  expect(second).toContain('"thinking":{"type":"enabled"}');
});

test('openai: an empty thought state is remembered, and omitted after a refusal', async () => {
  const { wire, make } = WIRES.openai;
  const hi = { body: wire.reply({ text: ['Hi.'] }) };
  const refused = refuse('Extra inputs are not permitted: reasoning_content', 422);
  await using server = await startWireServer(refuse(KIMI), hi, hi, refused, hi);
  const provider = make(server.origin);
  const ask = () => provider.ask({ ...someRequest, messages: history() }, new AbortController().signal, () => {});

  await ask();
  await ask();
  await ask();

  const isFilled = server.asked.map(({ body }) => JSON.stringify(body).includes('"reasoning_content":""'));
  expect(isFilled).toEqual([false, true, true, true, false]);
});

test.each([
  'thinking.budget_tokens: Input should be greater than or equal to 1024',
  'max_tokens must be greater than thinking.budget_tokens',
  'The request signature we calculated does not match the signature you provided.',
  'Invalid value for reasoning_effort',
  'messages: at least one message is required',
])('thought state stays if a refusal is about other fields: %j', (text) => {
  expect(nextThoughtState({ status: 400, text }, AS_IT_CAME)).toBeNull();
});

test.each([401, 402, 403, 429])('thought state stays if the status is %d', (status) => {
  expect(nextThoughtState({ status, text: INVALID[0]! }, AS_IT_CAME)).toBeNull();
});

test.each([...INVALID, ...OF_ITEMS, KIMI, DEEPSEEK, GEMINI, MISSED, BEGINS])(
  'at most two other forms of thought state are tried after %j',
  (text) => {
    const refused = { status: 400, text };
    const next = nextThoughtState(refused, AS_IT_CAME);
    const last = next && nextThoughtState(refused, next);

    expect(next).not.toBeNull();
    expect(last && nextThoughtState(refused, last)).toBeNull();
  },
);
