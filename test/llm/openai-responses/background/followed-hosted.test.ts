import { expect, test } from 'vitest';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import type { Delta } from '#core/llm/provider.ts';
import type { HostedTool } from '#core/turn/hosted/hosted-tool.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { messageItem, outputOf, responseObject, responseStream } from '#test/llm/responses-events.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();
const json = { 'content-type': 'application/json' };
const hostedTools: HostedTool[] = [{ type: 'web_search' }];
const action = { type: 'search', query: 'Bern', sources: [{ type: 'url', url: 'https://example.com' }] };
const items = [
  { item: { type: 'web_search_call', id: 'ws_1', status: 'completed', action } },
  messageItem(['It is sunny.'], {
    content: [
      {
        ...{ type: 'output_text', text: 'It is sunny.' },
        annotations: [{ type: 'url_citation', url: 'https://example.com', start_index: 0, end_index: 2 }],
      },
    ],
  }),
];
const stream = responseStream(items);
const ended: Answer = { headers: json, body: [JSON.stringify(responseObject(outputOf(items)))] };

async function ask(answers: Answer[], known: string | null = null) {
  await using server = await startWireServer(...answers);
  const provider = openaiResponsesProvider({ name: 'openai', apiKey: 'sk', baseUrl: `${server.origin}/v1`, post });
  const background = {
    ...{ isStored: true, isPolled: false, known: () => known },
    ...{ create: async () => {}, commit: async () => {} },
  };
  const deltas: Delta[] = [];
  const request = { ...someRequest, hostedTools, background, times: { idleTimeoutMs: 5_000 } };
  const reply = await provider.ask(request, new AbortController().signal, (delta) => void deltas.push(delta));
  const includes = server.asked.map(({ path }) => new URL(path, server.origin).searchParams.getAll('include[]'));
  const calls = deltas.flatMap((delta) => (delta.kind === 'hosted-call' ? delta.call.status : []));
  return { reply, includes, calls };
}

const BOTH = ['reasoning.encrypted_content', 'web_search_call.action.sources'];

test('a followed response has the hosted calls of a response that is read at once', async () => {
  const direct = await ask([{ body: stream }]);
  const followed = await ask([ended], 'resp_1');
  const broken = await ask([{ body: stream.slice(0, 3), ending: 'cut' }, ended]);

  expect(direct.reply.hosted).toMatchObject({
    calls: [{ id: 'ws_1', output: JSON.stringify(action.sources) }],
    annotations: [{ url: 'https://example.com', end_index: 2 }],
  });
  for (const { reply, calls } of [direct, followed, broken]) {
    expect(reply).toEqual(direct.reply);
    expect(calls).toEqual(['in_progress', 'completed']);
  }
});

test('reads of a response include the results of its hosted tools', async () => {
  const { includes } = await ask([ended], 'resp_1');

  expect(includes).toEqual([BOTH]);
});

test.each([
  ["Invalid value: 'web_search_call.action.sources'. Supported values are: 'message.x'.", BOTH.slice(0, 1)],
  ['Encrypted content is not supported with this model.', BOTH.slice(1)],
  ['The query parameter include is not available.', []],
])('a read leaves out the values of include that its server refuses: %s', async (message, left) => {
  const refusal = { status: 400, headers: json, body: [JSON.stringify({ error: { message } })] };

  const { includes, reply } = await ask([refusal, ended], 'resp_1');

  expect(includes).toEqual([BOTH, left]);
  expect(reply.text).toBe('It is sunny.');
});
