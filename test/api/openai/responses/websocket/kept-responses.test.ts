import { expect } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { responsesOf } from '../compliance/ask.ts';
import { eraseUnstored } from './erase-unstored.ts';
import { openSocket, type ResponseShown, responseOf, type Socket } from './open-socket.ts';

// Responses with `store: false` that a connection keeps for its next request.

const tools = [{ type: 'function', name: 'locate', parameters: { type: 'object', properties: {} } }];
const asks = (...ids: string[]) =>
  scripted({ rounds: [{ say: 'I look.', tools: ids.map((id) => ({ name: 'locate', id })) }], answer: '{{results}}' });
const output = (call_id: string, text: string) => ({ type: 'function_call_output', call_id, output: text });
const user = (content: string) => ({ role: 'user', content });

/** Returns a function that creates responses without store, each after the previous response. */
function chainOn(socket: Socket): (fields: object) => Promise<ResponseShown> {
  let last: ResponseShown | null = null;
  return async (fields: object) => {
    const request = { store: false, tools, ...(last && { previous_response_id: last.id }), ...fields };
    last = responseOf(await socket.ask(request));
    return last;
  };
}

/** Returns the roles and texts of the last request to the model. */
const sent = ({ modelRequests }: Harness) =>
  modelRequests
    .at(-1)!
    .body.messages.map(({ role, content, tool_calls: calls }) =>
      calls ? `${role}: ${content} ${calls.map(({ id }) => id).join(' ')}` : `${role}: ${content}`,
    );

const [first, second] = [asks('call_1', 'call_2'), asks('call_3')];
const wholeChain = [
  ...[`user: ${first}`, 'assistant: I look. call_1 call_2', 'tool: Rome', 'tool: Oslo', 'assistant: Rome\nOslo'],
  ...[`user: ${second}`, 'assistant: I look. call_3', 'tool: Bonn', 'assistant: Bonn', 'user: Thanks.'],
];

/** Plays a chain of five responses, three with function calls. Acts before each response. */
async function playChain(socket: Socket, act: () => Promise<unknown> = async () => {}): Promise<ResponseShown[]> {
  const next = chainOn(socket);
  const requests = [
    { input: [user(first)] },
    { input: [output('call_2', 'Oslo'), output('call_1', 'Rome')] },
    { input: [user(second)] },
    { input: [output('call_3', 'Bonn')] },
    { input: [user('Thanks.')], tools: null },
  ];
  const responses: ResponseShown[] = [];
  for (const request of requests) {
    await act();
    responses.push(await next(request));
  }
  return responses;
}

describeQueue(({ redis }) => {
  test('each response without store follows the previous response with the whole history', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    await using socket = await openSocket(harness);

    const responses = await playChain(socket);

    expect(responses.map(({ status, store }) => [status, store])).toEqual(responses.map(() => ['completed', false]));
    expect(responses.map(({ previous_response_id: id }) => id)).toEqual([
      ...[null, ...responses.slice(0, -1).map(({ id }) => id)],
    ]);
    expect(responses.map(({ output }) => output.map(({ type }) => type).join())).toEqual([
      ...['message,function_call,function_call', 'message', 'message,function_call', 'message', 'message'],
    ]);
    expect(sent(harness)).toEqual(wholeChain);
  });
});

test('a kept response may be continued after its rows are erased', async ({ harness, socket }) => {
  await playChain(socket, () => eraseUnstored(harness, socket));

  expect(sent(harness)).toEqual(wholeChain);
});

test('a kept response on a stored response is continued with the history of both', async ({ harness, socket }) => {
  const stored = responseOf(await socket.ask({ input: scripted({ answer: 'Hello, Ada.' }) }));
  const fork = responseOf(await socket.ask({ input: 'Later.', previous_response_id: stored.id }));

  const next = chainOn(socket);
  await next({ input: asks('call_1'), previous_response_id: stored.id });
  await eraseUnstored(harness, socket);
  await next({ input: [output('call_1', 'Rome')] });
  await next({ input: 'Who am I?', tools: null });

  const history = [`user: ${scripted({ answer: 'Hello, Ada.' })}`, 'assistant: Hello, Ada.', `user: ${asks('call_1')}`];
  const calls = ['assistant: I look. call_1', 'tool: Rome', 'assistant: Rome', 'user: Who am I?'];
  expect(sent(harness)).toEqual([...history, ...calls]);
  expect((await responsesOf(harness).retrieve(fork.id)).output).toEqual(fork.output);
});

test('a stored response after a kept response has its history everywhere', async ({ harness, socket }) => {
  const next = chainOn(socket);
  const kept = await next({ input: asks('call_1') });

  const stored = await next({ input: [output('call_1', 'Rome')], store: true });
  await eraseUnstored(harness, socket);
  await responsesOf(harness).create({ input: 'Who am I?', previous_response_id: stored.id });

  const calls = ['assistant: I look. call_1', 'tool: Rome', 'assistant: Rome', 'user: Who am I?'];
  expect(sent(harness)).toEqual([`user: ${asks('call_1')}`, ...calls]);
  expect(stored).toMatchObject({ store: true, previous_response_id: kept.id });
  expect(await responsesOf(harness).retrieve(stored.id)).toEqual(stored);
});

test('an incomplete kept response is continued with its partial text', async ({ harness, socket }) => {
  const next = chainOn(socket);
  const cut = scripted({ final: { say: 'Half of', finish_reason: 'length' } });

  const half = await next({ input: cut });
  await next({ input: 'And?', tools: null });

  expect(half.status).toBe('incomplete');
  expect(sent(harness)).toEqual([`user: ${cut}`, 'assistant: Half of', 'user: And?']);
});

test('another lane of the connection may fork a kept response', async ({ harness, socket }) => {
  const ask = async (fields: object) => responseOf(await socket.ask({ store: false, ...fields }));
  const { id } = await ask({ input: scripted({ answer: 'Hello.' }), stream_id: 'one' });

  await ask({ input: 'Here?', stream_id: 'two', previous_response_id: id });
  const forked = sent(harness);
  await ask({ input: 'There?', stream_id: 'one', previous_response_id: id });

  const history = [`user: ${scripted({ answer: 'Hello.' })}`, 'assistant: Hello.'];
  expect(forked).toEqual([...history, 'user: Here?']);
  expect(sent(harness)).toEqual([...history, 'user: There?']);
});

test('each lane keeps its own latest response', async ({ harness, socket }) => {
  const lanes = ['one', 'two', 'three'];

  const kept = await Promise.all(lanes.map((stream_id) => socket.ask({ input: stream_id, store: false, stream_id })));
  await eraseUnstored(harness, socket);
  for (const [index, stream_id] of lanes.entries()) {
    const previous_response_id = responseOf(kept[index]!).id;
    await socket.ask({ input: 'Next.', store: false, stream_id, previous_response_id });
    expect(sent(harness)).toMatchObject([`user: ${stream_id}`, expect.any(String), 'user: Next.']);
  }
});

test('a response does not inherit instructions and tools of a kept response', async ({ harness, socket }) => {
  const next = chainOn(socket);

  await next({ input: scripted({ answer: 'Hello.' }), instructions: 'Be brief.' });
  await next({ input: 'And?', tools: null });

  expect(sent(harness)).toHaveLength(3);
  expect(harness.modelRequests.at(-1)?.body.tools ?? []).toEqual([]);
});
