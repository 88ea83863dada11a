import { expect, test } from 'vitest';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import type { Message } from '#core/turn/message.ts';
import { event, openaiWire } from '#test/llm/openai-wire.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { type Answer, startWireServer, type WireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();
const signal = new AbortController().signal;
const json = { 'content-type': 'application/json' };
const hi: Answer = { body: openaiWire.reply({ text: ['Hi.'] }) };
const limited = { ...someRequest, maxOutputTokens: 64 };

const refuse = (message: string, status = 400): Answer => ({
  ...{ status, headers: json, body: [JSON.stringify({ error: { message } })] },
});
const NOT_MAX_TOKENS = refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");

/** Starts a provider with a server that gives these answers in order. */
async function start(...answers: Answer[]) {
  const server = await startWireServer(...answers);
  const provider = openaiProvider({ name: 'azure', apiKey: null, baseUrl: `${server.origin}/v1`, post });
  const ask = (request: RoundRequest, onDelta = () => {}) => provider.ask(request, signal, onDelta);
  return { server, ask, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const bodies = ({ asked }: WireServer) => asked.map(({ body }) => body);

test('a refused name of the token limit is replaced at once and remembered', async () => {
  await using azure = await start(NOT_MAX_TOKENS, hi);

  const reply = await azure.ask(limited);
  await azure.ask(limited);

  expect(reply.text).toBe('Hi.');
  expect(bodies(azure.server)).toMatchObject([
    { max_tokens: 64 },
    { max_completion_tokens: 64 },
    { max_completion_tokens: 64 },
  ]);
});

test('only refused state fields of the server are omitted, in sequence', async () => {
  const opaque = {
    provider: 'azure',
    state: {
      message: { reasoning: 'Hm.', reasoning_content: 'Hm.', executed_tools: [{ name: 'search' }] },
      asked: [{ id: 'functions.ping:0', fields: { extra_content: { signature: 's' } } }],
    },
  };
  const calls = [{ id: 'call_1', name: 'ping', arguments: '{}' }];
  const messages: Message[] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, calls, opaque },
    { role: 'tool', callId: 'call_1', name: 'ping', content: 'pong', isError: false },
  ];
  const groq = refuse("'messages.2' : for 'role:assistant' (property 'executed_tools' is unsupported)");
  const strict = refuse('extra_forbidden: messages.2.tool_calls.0.extra_content: Extra inputs are not permitted', 422);
  await using azure = await start(groq, strict, hi);

  await azure.ask({ ...someRequest, messages });

  const sent = bodies(azure.server).map((body) => (body.messages as Record<string, unknown>[])[2]!);
  const id = 'functions.ping:0';
  const call = { id, type: 'function', function: { name: 'ping', arguments: '{}' } };
  expect(sent[1]).not.toHaveProperty('executed_tools');
  expect(sent[2]).toEqual({
    ...{ role: 'assistant', content: null, reasoning: 'Hm.', reasoning_content: 'Hm.' },
    tool_calls: [call],
  });
});

test('a quirk of one model does not apply to another model', async () => {
  await using azure = await start(NOT_MAX_TOKENS, hi);

  await azure.ask(limited);
  await azure.ask({ ...limited, model: 'another-model' });

  expect(bodies(azure.server).at(-1)).toMatchObject({ model: 'another-model', max_tokens: 64 });
});

test('a change that did not help is forgotten, and the last refusal counts', async () => {
  const unknown = refuse('Unknown parameter: max_completion_tokens');
  await using azure = await start(NOT_MAX_TOKENS, unknown, hi);

  await expect(azure.ask(limited)).rejects.toMatchObject({ code: 'provider_invalid_request' });
  await azure.ask(limited);

  expect(bodies(azure.server)).toMatchObject([{ max_tokens: 64 }, { max_completion_tokens: 64 }, { max_tokens: 64 }]);
});

test('a server may refuse several fields in sequence', async () => {
  const noStreamOptions = refuse('Extra inputs are not permitted: stream_options', 422);
  await using azure = await start(NOT_MAX_TOKENS, noStreamOptions, refuse('System role not supported', 500), hi);

  await azure.ask(limited);

  expect(azure.server.asked).toHaveLength(4);
  expect(bodies(azure.server).at(-1)).toEqual({
    model: 'some-model',
    messages: [{ role: 'user', content: 'Be brief.\n\nHi' }],
    max_completion_tokens: 64,
    stream: true,
  });
});

test('a refusal inside a 200 stream counts, unless the reply had begun', async () => {
  const error = `data: ${JSON.stringify({ error: { message: 'System role not supported', code: 400 } })}\n\n`;
  await using early = await start({ body: [error] }, hi);
  const shown = Promise.withResolvers<void>();
  await using late = await start({ body: [event({ content: 'Ha' }), shown.promise, error] }, hi);

  await early.ask(someRequest);

  expect(bodies(early.server)).toMatchObject([{}, { messages: [{ content: 'Be brief.\n\nHi' }] }]);
  await expect(late.ask(someRequest, shown.resolve)).rejects.toMatchObject({ code: 'model_unsupported_feature' });
  expect(late.server.asked).toHaveLength(1);
});

test('a request that no role order changes is refused once', async () => {
  await using server = await start(refuse('Conversation roles must alternate'), hi);

  await expect(server.ask({ ...someRequest, instructions: null })).rejects.toMatchObject({
    code: 'provider_invalid_request',
  });
  expect(server.server.asked).toHaveLength(1);
});

test('an ambiguous refusal leads to the first role order that changes the request', async () => {
  await using server = await start(refuse('The system message must come first.'), hi);

  await server.ask({
    ...someRequest,
    messages: [...someRequest.messages, { role: 'assistant', content: 'Hm', calls: [] }],
  });

  expect(bodies(server.server).at(-1)).toMatchObject({
    messages: [{ role: 'system' }, { role: 'user' }, { role: 'assistant' }, { role: 'user', content: 'Go on.' }],
  });
});
