import { type UIMessageChunk, validateUIMessages } from 'ai';
import { expect, expectTypeOf } from 'vitest';
import type { UiChunk } from '#core/turn/ui-message/chunk.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openaiClient } from '../openai/responses/openai-client.ts';
import { chunksOf, readMessage, reconnect } from './read-message.ts';

const postcard = {
  ...{ name: 'send_postcard', description: 'Sends a postcard to a city, once', approval: 'always' },
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const asks = (name: string, say?: string) =>
  scripted({
    rounds: [{ ...(say && { say }), tools: [{ name, arguments: { city: 'Rome' }, id: 'call_1' }] }],
    answer: 'Done.',
  });

async function read(harness: Pick<Harness, 'url'>, path: string) {
  const response = await fetch(harness.url + path);
  return { response, ...(await chunksOf(await response.text())) };
}

const typesOf = (chunks: UiChunk[]) => chunks.map(({ type }) => type);

describeQueue(({ redis }) => {
  test('a turn with a tool is the same valid message on every UI stream route', async () => {
    await using harness = await createHarness({ redis });
    const { id, conversation_id } = await harness.startTurn({
      input: asks('weather_lookup', 'Let me look.'),
      tools: ['weather_lookup'],
    });
    const live = readMessage(`${harness.url}/v1/conversations/${conversation_id}/ui-stream`);
    await using _worker = await startBackgroundWorker(harness);
    const { message } = await live;

    const { response, chunks, isDone } = await read(harness, `/v1/turns/${id}/ui-stream`);
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(typesOf(chunks)).toEqual([
      ...['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'tool-input-available'],
      ...['tool-output-available', 'finish-step', 'start-step', 'text-start', 'text-delta', 'text-end'],
      ...['finish-step', 'finish'],
    ]);
    expect(isDone).toBe(true);
    for (const base of ['/v1', '/openai/v1']) {
      const same = await read(harness, `${base}/responses/${id.replace('turn_', 'resp_')}/ui-stream`);
      expect(same.chunks).toEqual(chunks);
      expect(same.response.headers.get('x-request-id')).toMatch(/^req_/);
    }
    expect(message).toEqual((await readMessage(`${harness.url}/v1/turns/${id}/ui-stream`)).message);
    expect(message).toMatchObject({ id, role: 'assistant', metadata: { turn_id: id, conversation_id } });
    await expect(validateUIMessages({ messages: [message] })).resolves.toHaveLength(1);
  });
});

test('chunks of a UI stream have only fields that the SDK knows', () => {
  type Fields<Chunk, Type> = Chunk extends { type: infer Own } ? (Type extends Own ? keyof Chunk : never) : never;
  type Foreign<Type> = Type extends string ? Exclude<Fields<UiChunk, Type>, Fields<UIMessageChunk, Type>> : never;

  expectTypeOf<Foreign<UiChunk['type']>>().toBeNever();
});

test('a UI message ends with an approval request, and is complete after the answer', async ({ harness }) => {
  const { id, conversation_id } = await harness.startTurn({ input: asks('send_postcard'), tools: [postcard] });
  await harness.workUntilIdle();
  const asked = await read(harness, `/v1/conversations/${conversation_id}/ui-stream`);
  const waiting = (await readMessage(`${harness.url}/v1/turns/${id}/ui-stream`)).message;
  const approvals = [{ tool_call_id: 'call_1', decision: 'allow' }];
  await harness.call('POST', `/v1/turns/${id}/approvals`, { body: { approvals } });
  const allowed = readMessage(`${harness.url}/v1/turns/${id}/ui-stream`);
  await harness.workUntilIdle();
  const { message } = await allowed;

  expect(typesOf(asked.chunks).slice(2)).toEqual([
    ...['tool-input-available', 'tool-approval-request', 'finish-step', 'finish'],
  ]);
  expect(asked.chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'tool-calls' });
  expect(asked.isDone).toBe(true);
  const call = { type: 'dynamic-tool', toolCallId: 'call_1', approval: { id: 'call_1' } };
  expect(waiting?.parts[1]).toMatchObject({ ...call, state: 'approval-requested' });
  expect(message?.parts.slice(1)).toMatchObject([
    { ...call, state: 'output-available', output: 'sent to Rome', approval: { id: 'call_1', approved: true } },
    { type: 'step-start' },
    { type: 'text', text: 'Done.', state: 'done' },
  ]);
  await expect(validateUIMessages({ messages: [waiting, message] })).resolves.toHaveLength(2);
});

test('a UI message shows a denied call as denied', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: asks('send_postcard'), tools: [postcard] });
  await harness.workUntilIdle();
  const approvals = [{ tool_call_id: 'call_1', decision: 'deny', reason: 'Too far.' }];
  await harness.call('POST', `/v1/turns/${id}/approvals`, { body: { approvals } });
  await harness.workUntilIdle();
  const { message } = await readMessage(`${harness.url}/v1/turns/${id}/ui-stream`);

  expect(message?.parts[1]).toMatchObject({
    state: 'output-denied',
    approval: { approved: false, reason: 'Too far.' },
  });
  await expect(validateUIMessages({ messages: [message] })).resolves.toHaveLength(1);
});

test('a UI message of a response ends with the calls for its caller', async ({ harness }) => {
  const client = openaiClient(harness);
  const { id } = await client.responses.create({
    ...{ model: 'test', background: true, input: asks('get_weather') },
    tools: [{ type: 'function', name: 'get_weather', parameters: null, strict: null }],
  });
  await harness.workUntilIdle();
  const { chunks } = await read(harness, `/v1/responses/${id}/ui-stream`);

  expect(chunks.slice(2)).toEqual([
    {
      ...{ type: 'tool-input-available', toolCallId: 'call_1', toolName: 'get_weather' },
      ...{ input: { city: 'Rome' }, dynamic: true },
    },
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'tool-calls' },
  ]);
});

test('a UI stream of a failed turn ends with its error, of a cancelled turn with abort', async ({ harness }) => {
  const failing = scripted({ answer: 'No.', final: { fault: { kind: 'status', status: 401 } } });
  const failed = await harness.startTurn({ input: failing });
  const cancelled = await harness.startTurn({ input: 'Hi' });
  await harness.call('POST', `/v1/turns/${cancelled.id}/cancel`);
  await harness.workUntilIdle();
  const [first, second] = [
    await read(harness, `/v1/turns/${failed.id}/ui-stream`),
    await read(harness, `/v1/turns/${cancelled.id}/ui-stream`),
  ];

  const { error } = await harness.findTurn(failed.id);
  expect(first.chunks.at(-1)).toEqual({ type: 'error', errorText: `${error?.code}: ${error?.message}` });
  expect(typesOf(second.chunks)).toEqual(['start', 'abort']);
  expect([first.isDone, second.isDone]).toEqual([true, true]);
});

test('a conversation has a UI stream only while a visible turn is active', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'default:key-of-one,other:key-of-other' } });
  const ask = (path: string, key = 'key-of-one') =>
    fetch(harness.url + path, { headers: { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(60_000) });
  const create = async (path: string, body: object) => {
    const headers = {
      authorization: 'Bearer key-of-one',
      'content-type': 'application/json',
      'pawl-on-disconnect': 'continue',
    };
    return fetch(harness.url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'openai/test', ...body }),
    });
  };
  const { id } = (await (await create('/v1/conversations', {})).json()) as { id: string };
  const stream = `/v1/conversations/${id}/ui-stream`;

  expect((await ask(stream)).status).toBe(204);
  const unseen = create('/v1/responses', { input: 'Hi', conversation: id, store: false });
  await waitUntil(async () => expect((await harness.db.selectFrom('turns').select('id').execute()).length).toBe(1));
  const turnId = String((await harness.db.selectFrom('turns').select('id').execute())[0]?.id);
  const statuses = [
    (await ask(stream)).status,
    (await ask(`/v1/turns/${turnId}/ui-stream`)).status,
    (await ask(`/v1/responses/${turnId.replace('turn_', 'resp_')}/ui-stream`)).status,
    (await ask(stream, 'key-of-other')).status,
    (await ask('/v1/turns/turn_x/ui-stream')).status,
  ];
  await using _worker = await startBackgroundWorker(harness);
  await unseen;

  expect(statuses).toEqual([204, 404, 404, 404, 404]);
  expect((await fetch(harness.url + stream)).status).toBe(401);
});

test('closing a UI stream does not cancel its turn, and other origins get no stream', async ({ harness }) => {
  const { id, conversation_id } = await harness.startTurn({ input: scripted({ answer: 'Hello.' }) });
  const stream = await reconnect(`${harness.url}/v1/conversations/${conversation_id}/ui-stream`);
  await stream?.cancel();
  const url = `${harness.url}/v1/turns/${id}/ui-stream`;
  const foreign = await fetch(url, { headers: { origin: 'https://example.com' } });
  const head = await fetch(url, { method: 'HEAD' });
  await harness.workUntilIdle();

  expect(foreign.status).toBe(403);
  expect([head.status, head.headers.get('x-vercel-ai-ui-message-stream')]).toEqual([200, 'v1']);
  expect((await harness.findTurn(id)).status).toBe('completed');
  await expect(reconnect(`${harness.url}/v1/conversations/${conversation_id}/ui-stream`)).resolves.toBeNull();
});

test('UI streams count toward the stream limit of their key', async () => {
  await using harness = await createHarness({ env: { PAWL_MAX_STREAMS: '1' } });
  const { id } = await harness.startTurn({ input: 'Hi' });
  const first = await reconnect(`${harness.url}/v1/turns/${id}/ui-stream`);
  const second = await fetch(`${harness.url}/v1/turns/${id}/ui-stream`);
  await first?.cancel();

  expect([second.status, ((await second.json()) as { error: { code: string } }).error.code]).toEqual([
    429,
    'too_many_streams',
  ]);
});
