import { expect } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { eraseUnstored } from './erase-unstored.ts';
import { openSocket, responseOf, type Socket } from './open-socket.ts';

// Forks of the responses that a connection keeps.

const says = (answer: string) => scripted({ answer });
const ask = async (socket: Socket, fields: object) => responseOf(await socket.ask(fields));
const usersIn = (request: Harness['modelRequests'][number] | undefined) =>
  request?.body.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
const sent = ({ modelRequests }: Harness) => usersIn(modelRequests.at(-1));

test('a fork on another lane runs at the same time as the original lane', async ({ harness, socket }) => {
  const { id } = await ask(socket, { input: says('Plan.'), store: false, stream_id: 'planner' });
  const follow = { store: false, previous_response_id: id };
  const { reached, open } = harness.holdModel();

  const fork = socket.create({ ...follow, input: says('Gaps.'), stream_id: 'critic' });
  await reached;
  const original = socket.create({ ...follow, input: says('Steps.'), stream_id: 'planner' });
  await socket.until((seen) => seen.filter(({ type }) => type === 'response.created').length === 3);
  open();
  const [forked, continued] = [responseOf(await fork.answered), responseOf(await original.answered)];
  const next = { store: false, input: says('More.'), stream_id: 'critic', previous_response_id: forked.id };
  await ask(socket, next);

  expect([forked.status, continued.status]).toEqual(['completed', 'completed']);
  expect(harness.modelRequests.map(usersIn)).toEqual([
    ...[[says('Plan.')], [says('Plan.'), says('Gaps.')], [says('Plan.'), says('Steps.')]],
    [says('Plan.'), says('Gaps.'), says('More.')],
  ]);
});

test('each of 32 lanes keeps its latest response', async ({ socket }) => {
  const lanes = Array.from({ length: 32 }, (_, index) => `lane-${index}`);

  const kept = new Map<string, string>();
  for (const stream_id of lanes) {
    kept.set(stream_id, (await ask(socket, { input: says(stream_id), store: false, stream_id })).id);
  }
  const ended: (string | undefined)[] = [];
  for (const [stream_id, previous_response_id] of kept) {
    const messages = await socket.ask({ input: 'Next.', store: false, stream_id, previous_response_id });
    ended.push(messages.at(-1)?.type);
  }

  expect(ended).toEqual(lanes.map(() => 'response.completed'));
});

test('a kept response excludes later items of its conversation', async ({ harness, worker: _ }) => {
  await using socket = await openSocket(harness, { base: '/openai/v1' });
  const { body } = await harness.call<{ id: string }>('POST', '/openai/v1/conversations', { body: {} });
  await ask(socket, { input: says('One.'), conversation: body.id });

  const kept = await ask(socket, { input: says('Aside.'), conversation: body.id, store: false });
  await ask(socket, { input: says('Two.'), conversation: body.id, stream_id: 'other' });
  await ask(socket, { input: says('Further.'), store: false, previous_response_id: kept.id });

  expect(sent(harness)).toEqual([says('One.'), says('Aside.'), says('Further.')]);
});

test('a kept response excludes a later response on its stored base', async ({ harness, socket }) => {
  const stored = await ask(socket, { input: says('One.') });
  const kept = await ask(socket, { input: says('Aside.'), store: false, previous_response_id: stored.id });
  await ask(socket, { input: says('Two.'), previous_response_id: stored.id, stream_id: 'other' });

  await eraseUnstored(harness, socket);
  await ask(socket, { input: says('Further.'), store: false, previous_response_id: kept.id });

  expect(sent(harness)).toEqual([says('One.'), says('Aside.'), says('Further.')]);
});

test('a kept response is not found after its stored base is deleted', async ({ harness, socket }) => {
  const stored = await ask(socket, { input: says('One.') });
  const kept = await ask(socket, { input: says('Aside.'), store: false, previous_response_id: stored.id });
  await harness.call('DELETE', `/v1/responses/${stored.id}`);
  await eraseUnstored(harness, socket);

  const last = (await socket.ask({ input: 'And?', store: false, previous_response_id: kept.id })).at(-1);

  const refusal = { code: 'previous_response_not_found', param: 'previous_response_id' };
  expect(last).toMatchObject({ type: 'error', status: 400, error: refusal });
});
