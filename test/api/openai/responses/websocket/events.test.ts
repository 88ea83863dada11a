import { expect } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '../../test.ts';
import { checkedEvents, responsesOf } from '../compliance/ask.ts';
import { deltasOf, type Message, openSocket, responseOf } from './open-socket.ts';

const asks = (name: string, id: string) => ({ name, id, arguments: { city: 'Rome' } });
const locate = { type: 'function', name: 'locate', parameters: { type: 'object', properties: {} } };
const fault = { kind: 'status' as const, status: 401 };

/** Returns a create request for each way in which a response ends, with its last event and output items. */
const ways = (url: string): [string, object, string, string[]][] => [
  ['text', { input: scripted({ answer: 'Hello. 🐢' }) }, 'completed', ['message']],
  ['a refusal', { input: scripted({ final: { say: 'Well: ', refusal: 'no.' } }) }, 'completed', ['message']],
  ['cut text', { input: scripted({ final: { say: 'Half', finish_reason: 'length' } }) }, 'incomplete', ['message']],
  ['a failure', { input: scripted({ final: { fault } }) }, 'failed', []],
  [
    'calls of both sides',
    {
      input: scripted({
        rounds: [
          { reasoning: 'Hm.', say: 'I look.', tools: [asks('run', 'call_1')] },
          { tools: [asks('locate', 'call_2'), { ...asks('patch', 'call_3'), arguments: { input: 'a\nb' } }] },
        ],
      }),
      ...{ tools: [httpTool('run', url), locate, { type: 'custom', name: 'patch' }], reasoning: { summary: 'auto' } },
    },
    'completed',
    ['reasoning', 'message', 'mcp_call', 'function_call', 'custom_tool_call'],
  ],
  [
    'sealed reasoning',
    {
      input: scripted({ final: { reasoning: 'Hm.', say: 'Well.' } }),
      ...{ include: ['reasoning.encrypted_content'], reasoning: { summary: 'auto' } },
    },
    'completed',
    ['reasoning', 'message'],
  ],
];

/** Returns events without text deltas, which may be cut anywhere. */
const withoutPieces = (events: { type: string }[]) =>
  events.filter(({ type }) => !/(text|refusal)\.delta$/.test(type)).map((event) => JSON.stringify(event));

const replayed = (harness: Harness, { id }: { id: string }) => responsesOf(harness).follow(id);

describeQueue(({ redis }) => {
  test('messages of a socket are the events of its response, and equal its stream', async () => {
    await using server = await openExternalServer(() => ({ status: 200, body: '"sunny"' }));
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    await using socket = await openSocket(harness);

    for (const [way, request, last, items] of ways(server.url)) {
      const messages = await socket.ask(request);
      const events = checkedEvents(messages);
      const response = responseOf(messages);
      expect.soft(messages.at(-1)?.type, way).toBe(`response.${last}`);
      expect
        .soft(
          response.output.map(({ type }) => type),
          way,
        )
        .toEqual(items);
      expect.soft(response, way).toEqual(await responsesOf(harness).retrieve(response.id));
      expect.soft(withoutPieces(events), way).toEqual(withoutPieces(await replayed(harness, response)));
    }
    const ends = ({ type }: Message) => /^response\.(completed|failed|incomplete)$/.test(type);
    expect(socket.seen.filter(ends)).toHaveLength(ways(server.url).length);
  });
});

test('a stream_id is in all events of its response only', async () => {
  await using server = await openExternalServer(() => ({ status: 200, body: '"sunny"' }));
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness);
  const requests = ways(server.url).map(([, request]) => request);

  const named = requests.map((request, index) => socket.ask({ ...request, stream_id: `lane.${index}_A-b` }));
  const plain = await socket.ask(requests[0]!);

  for (const [index, messages] of (await Promise.all(named)).entries()) {
    for (const message of messages) expect(message.stream_id).toBe(`lane.${index}_A-b`);
    checkedEvents(messages.map(({ stream_id: _, ...event }) => event));
  }
  for (const message of plain) expect(Object.keys(message)).not.toContain('stream_id');
});

test('text reaches the socket while the model writes it', async ({ harness, socket }) => {
  const input = scripted({ final: { say: 'Begun, and', fault: { kind: 'hang', after_chars: 6 } } });

  const { answered } = socket.create({ input });
  await socket.until((seen) => deltasOf(seen) === 'Begun,');
  const created = socket.seen[0]?.response as { id: string };
  await harness.call('POST', `/v1/responses/${created.id}/cancel`);

  expect((await answered).at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'cancelled' } });
});

test('a response of a socket is a turn that every route shows', async ({ harness, socket }) => {
  const response = responseOf(await socket.ask({ input: 'I am Ada.', metadata: { order: '17' } }));
  const { id } = response;
  const next = await responsesOf(harness).create({ input: 'Who am I?', previous_response_id: id });

  expect(await responsesOf(harness).retrieve(id)).toEqual(response);
  expect(response).toMatchObject({ background: false, store: true, metadata: { order: '17' }, user: null });
  const turn = await harness.findTurn(id.replace('resp_', 'turn_'));
  expect(turn).toMatchObject({ status: 'completed', metadata: { order: '17' } });
  expect(next).toMatchObject({ status: 'completed', previous_response_id: id });
  expect(harness.modelRequests.at(-1)?.body.messages).toMatchObject([
    ...[{ role: 'user', content: 'I am Ada.' }, { role: 'assistant' }, { role: 'user', content: 'Who am I?' }],
  ]);
});

test('a stored response continues on the socket, in a conversation and as a fork', async ({ harness, worker: _ }) => {
  await using socket = await openSocket(harness, { base: '/openai/v1' });
  const { body } = await harness.call<{ id: string }>('POST', '/openai/v1/conversations', { body: {} });
  const ask = async (fields: object) => responseOf(await socket.ask(fields));

  const first = await ask({ input: 'One.' });
  const second = await ask({ input: 'Two.', previous_response_id: first.id });
  const fork = await ask({ input: 'Three.', previous_response_id: first.id });
  const said = await ask({ input: 'Four.', conversation: body.id });
  const next = await ask({ input: 'Five.', conversation: { id: body.id } });

  expect([second, fork].map(({ previous_response_id: id }) => id)).toEqual([first.id, first.id]);
  expect([said, next].map(({ conversation }) => conversation)).toEqual([{ id: body.id }, { id: body.id }]);
  const users = harness.modelRequests.map(({ body: { messages } }) =>
    messages.filter(({ role }) => role === 'user').map(({ content }) => content),
  );
  expect(users).toEqual([['One.'], ['One.', 'Two.'], ['One.', 'Three.'], ['Four.'], ['Four.', 'Five.']]);
});
