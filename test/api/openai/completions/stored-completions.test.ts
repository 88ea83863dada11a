import { expect } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { raised } from '../responses/openai-client.ts';
import { test } from '../test.ts';
import { type Completion, completing, scriptedUser, startedTurn, turnIdOf, user } from './completing.ts';
import { openCompletionStream } from './completion-stream.ts';
import { shareHarness } from './share-harness.ts';

const sharedHarness = shareHarness();
const says = (answer: string) => [scriptedUser({ answer })];
const broken = [scriptedUser({ answer: 'Never.', final: { fault: { kind: 'status', status: 400 } } })];

/** Returns the answers of each route about one completion. */
async function answersAbout({ call }: Harness, id: string, headers: Record<string, string> = {}) {
  const path = `/v1/chat/completions/${id}`;
  return Promise.all([
    call('GET', path, { headers }),
    call('POST', path, { headers, body: { metadata: {} } }),
    call('GET', `${path}/messages`, { headers }),
    call('DELETE', path, { headers }),
  ]);
}

test('a completion with store: false is found by no route, before or after its end', async ({ harness }) => {
  const { completions, refused } = completing(harness);
  const stream = await openCompletionStream(harness, { body: { messages: says('Secret.'), store: false } });
  await stream.until((chunks) => chunks.length > 0);
  const { id } = stream.chunks()[0]!;

  const before = await answersAbout(harness, id);
  await harness.workUntilIdle();
  await stream.over;

  expect([stream.text(), stream.frames.at(-1)]).toEqual(['Secret.', 'data: [DONE]']);
  for (const { status, body } of [...before, ...(await answersAbout(harness, id))])
    expect.soft([status, body]).toMatchObject([404, { error: { code: 'completion_not_found' } }]);
  expect((await harness.call('GET', `/v1/turns/${turnIdOf(id)}`)).status).toBe(404);
  expect((await completions.list()).data).toEqual([]);
  const followed = await refused({ messages: [user('And?')], pawl: { previous_completion_id: id } });
  expect(followed).toMatchObject({ status: 400, param: 'pawl.previous_completion_id' });
});

test('a completion without store is retrieved but not listed', async ({ harness, worker: _ }) => {
  const { complete, completions } = completing(harness);

  const absent = await complete({ messages: says('One.') });
  const listed = await complete({ messages: says('Two.'), store: true });

  expect(await completions.retrieve(absent.id)).toEqual(absent);
  expect(await completions.retrieve(listed.id)).toEqual(listed);
  expect((await completions.list()).data).toEqual([listed]);
});

test('stored completions are listed in order, in pages, and by model and metadata', async ({ harness, worker: _ }) => {
  const { complete, completions } = completing(harness);
  const made: Completion[] = [];
  for (const [model, metadata] of [
    ['one', { team: 'a' }],
    ['two', { team: 'b' }],
    ['one', { team: 'b', more: 'x y' }],
  ] as const)
    made.push(await complete({ model, metadata, messages: says('Hi.'), store: true }));
  const ids = made.map(({ id }) => id);
  const list = async (query: object) => (await completions.list(query)).data.map(({ id }) => id);

  const paged: string[] = [];
  for await (const { id } of completions.list({ limit: 1 })) paged.push(id);
  const { body } = await harness.call('GET', '/v1/chat/completions?limit=2');

  expect(paged).toEqual(ids);
  expect(await list({ order: 'desc' })).toEqual(ids.toReversed());
  expect(await list({ order: 'desc', after: ids[2] })).toEqual([ids[1], ids[0]]);
  expect(await list({ model: 'one' })).toEqual([ids[0], ids[2]]);
  expect(await list({ metadata: { team: 'b' } })).toEqual([ids[1], ids[2]]);
  expect(await list({ metadata: { team: 'b', more: 'x y' }, model: 'one' })).toEqual([ids[2]]);
  expect(await list({ metadata: { team: 'c' } })).toEqual([]);
  expect(body).toEqual({
    ...{ object: 'list', data: made.slice(0, 2), first_id: ids[0], last_id: ids[1], has_more: true },
  });
});

test.each([
  ['limit', 'limit=0'],
  ['limit', 'limit=101'],
  ['order', 'order=up'],
  ['after', 'after=chatcmpl-01kagz8m4pfvbte2n5q7rys3wx'],
  ['after', 'after=nonsense'],
])('a list is refused at %s: %s', async (param, query) => {
  const { status, body } = await sharedHarness().call('GET', `/v1/chat/completions?${query}`);

  expect([status, body]).toMatchObject([400, { error: { param, type: 'invalid_request_error' } }]);
});

test('a failed completion is listed with its error, and a retrieve raises the error', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { completions, refused } = completing(harness);
  const raisedFirst = await refused({ messages: broken, store: true });
  const id = raisedFirst.headers?.get('pawl-response-id') ?? '';

  const { data } = await completions.list();
  const again = await raised(completions.retrieve(id));

  expect(data).toMatchObject([
    { id, object: 'chat.completion', choices: [], error: { code: 'provider_invalid_request' } },
  ]);
  expect(again).toMatchObject({ status: 400, code: raisedFirst.code, message: raisedFirst.message });
  expect(again.headers?.get('x-should-retry')).toBe('false');
});

test('messages of a completion are listed as requested, instructions first', async ({ harness, worker: _ }) => {
  const { complete, completions } = completing(harness);
  const call = { id: 'call_a', type: 'function', function: { name: 'locate', arguments: '{}' } };
  const parts = [
    { type: 'text', text: 'Hi' },
    { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
  ];
  const { id } = await complete({
    messages: [
      { role: 'system', content: 'Be brief.' },
      ...[
        { role: 'user', content: parts },
        { role: 'assistant', content: null, tool_calls: [call] },
      ],
      ...[{ role: 'tool', tool_call_id: 'call_a', content: 'Rome' }, user('And?')],
    ],
  });

  const { data } = await completions.messages.list(id);
  const paged: string[] = [];
  for await (const message of completions.messages.list(id, { order: 'desc', limit: 2 })) paged.push(message.id);

  expect(data).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content_parts: [parts[0], { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_a', content: 'Rome' },
    { role: 'user', content: 'And?', content_parts: null, name: null },
  ]);
  expect(data.map((message) => message.id)).toEqual(data.map((_, at) => `${id}-${at}`));
  expect(paged).toEqual(data.map((message) => message.id).toReversed());
});

test('messages of a completion exclude those of its previous completion', async ({ harness, worker: _ }) => {
  const { complete, completions } = completing(harness);
  const first = await complete({ messages: says('Hello.') });

  const next = await complete({ messages: [user('And?')], pawl: { previous_completion_id: first.id } });

  expect((await completions.messages.list(next.id)).data).toMatchObject([{ role: 'user', content: 'And?' }]);
});

test('an update changes the metadata of a completion', async ({ harness, worker: _ }) => {
  const { complete, completions, turnOf } = completing(harness);
  const completion = await complete({ messages: says('Hi.'), store: true, metadata: { a: 'b', c: 'd' } });

  const changed = await completions.update(completion.id, { metadata: { a: 'x' } });

  expect(changed).toEqual({ ...completion, metadata: { a: 'x' } });
  expect(await completions.retrieve(completion.id)).toEqual(changed);
  expect(await turnOf(completion)).toMatchObject({ metadata: { a: 'x' } });
  expect((await completions.list({ metadata: { c: 'd' } })).data).toEqual([]);
  for (const body of [{}, { metadata: { a: 1 } }, { metadata: {}, more: 1 }]) {
    const { status } = await harness.call('POST', `/v1/chat/completions/${completion.id}`, { body });
    expect(status).toBe(400);
  }
});

test('a deleted completion is cancelled if it runs, and is no longer found', async ({ harness }) => {
  const { completions, complete } = completing(harness);
  const answering = complete({ messages: says('Never.') }).catch((error: unknown) => error);
  const id = (await startedTurn(harness)).replace('turn_', 'chatcmpl-');

  const deleted = await completions.delete(id);

  expect(deleted).toEqual({ id, object: 'chat.completion.deleted', deleted: true });
  for (const { status, body } of await answersAbout(harness, id))
    expect.soft([status, body]).toMatchObject([404, { error: { code: 'completion_not_found' } }]);
  await answering;
  await harness.workUntilIdle();
  expect(harness.modelRequests).toEqual([]);
});

test('a turn can be retrieved as a completion, and a completion as a response', async ({ harness, worker: _ }) => {
  const { complete, completions, client } = completing(harness);
  const native = await harness.startTurn({ input: 'Hi' });
  const turn = await harness.untilEnded(native.id);
  const completion = await complete({ messages: says('Hello.') });

  const asCompletion = await completions.retrieve(native.id.replace('turn_', 'chatcmpl-'));
  const asResponse = await client.responses.retrieve(completion.id.replace('chatcmpl-', 'resp_'));

  expect(asCompletion.choices).toMatchObject([{ finish_reason: 'stop', message: { content: turn.output } }]);
  expect(asResponse).toMatchObject({ status: 'completed', output_text: 'Hello.' });
});

test('a completion of another project is neither found nor followed', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-a,beta:key-b' } });
  await using _worker = await startBackgroundWorker(harness);
  const alpha = completing(harness, { key: 'key-a' });
  const beta = completing(harness, { key: 'key-b' });
  const completion = await alpha.complete({ messages: says('Secret.'), store: true });

  for (const { status, body } of await answersAbout(harness, completion.id, { authorization: 'Bearer key-b' }))
    expect.soft([status, body]).toMatchObject([404, { error: { code: 'completion_not_found' } }]);
  expect((await beta.completions.list()).data).toEqual([]);
  expect((await alpha.completions.list()).data).toEqual([completion]);
  const followed = await beta.refused({ messages: [user('And?')], pawl: { previous_completion_id: completion.id } });
  expect(followed).toMatchObject({ status: 400, param: 'pawl.previous_completion_id' });
});
