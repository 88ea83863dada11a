import { expect } from 'vitest';
import type { ChainResource } from '#core/turn/resource/chain.ts';
import type { ListedTurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { openaiClient } from '../openai/responses/openai-client.ts';

const idOf = (responseId: string) => responseId.replace('resp_', 'turn_');

async function chainOf({ call }: Harness, id: string): Promise<ChainResource> {
  const { status, body } = await call<ChainResource>('GET', `/v1/turns/${idOf(id)}/chain`);
  expect(status).toBe(200);
  return body;
}

function responding(harness: Harness) {
  const client = openaiClient(harness);
  return async (input: string, previous: string | null = null) => {
    const response = await client.responses.create({
      ...{ model: 'test', background: true, input, previous_response_id: previous },
    });
    await harness.workUntilIdle();
    return response.id;
  };
}

test('a chain shows the previous turn, the next turn and the forks of a response', async ({ harness }) => {
  const respond = responding(harness);
  const first = await respond('I am Ada.');
  const second = await respond('Who am I?', first);
  const left = await respond('Left?', first);
  const right = await respond('Right?', first);
  const after = await respond('And then?', left);

  const chains = await Promise.all([first, second, left, after].map((id) => chainOf(harness, id)));

  const ids = chains.map(({ previous, next, forks }) => [previous?.id, next?.id, forks.map(({ id }) => id)]);
  expect(ids).toEqual([
    [undefined, idOf(second), [idOf(right), idOf(left)]],
    [idOf(first), undefined, []],
    [idOf(first), idOf(after), []],
    [idOf(left), undefined, []],
  ]);
  const { conversation_id } = await harness.findTurn(idOf(first));
  expect(chains[2]?.previous).toEqual({
    ...{ id: idOf(first), response_id: first, conversation_id, status: 'completed', preview: 'I am Ada.' },
    created_at: expect.any(String),
  });
  expect(chains.map(({ forks_count }) => forks_count)).toEqual([2, 0, 0, 0]);
});

test('a chain includes native turns, which have no response id', async ({ harness }) => {
  const respond = responding(harness);
  const native = await harness.startTurn({ input: [{ role: 'system', content: 'Be brief.' }] });
  await harness.workUntilIdle();
  const forked = await respond('And now?', native.id.replace('turn_', 'resp_'));

  const { previous } = await chainOf(harness, forked);
  const listed = (await harness.call<{ data: ListedTurnResource[] }>('GET', '/v1/turns')).body.data;

  expect(previous).toMatchObject({ id: native.id, response_id: null, preview: null });
  expect(listed.map(({ id, response_id }) => [id, response_id])).toEqual([
    [idOf(forked), forked],
    [native.id, null],
  ]);
  expect((await harness.findTurn(idOf(forked))).response_id).toBe(forked);
});

test('a chain skips a deleted turn and shows the turn before it', async ({ harness }) => {
  const respond = responding(harness);
  const first = await respond('I am Ada.');
  const second = await respond('Who am I?', first);
  const third = await respond('Am I sure?', second);
  const fork = await respond('Left?', first);

  await openaiClient(harness).responses.delete(second);
  await openaiClient(harness).responses.delete(fork);

  expect(await chainOf(harness, first)).toMatchObject({ next: { id: idOf(third) }, forks: [], forks_count: 0 });
  expect((await chainOf(harness, third)).previous?.id).toBe(idOf(first));
  expect((await harness.call('GET', `/v1/turns/${idOf(second)}/chain`)).status).toBe(404);
});

test('a chain is visible in its project only', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:a,beta:b' } });
  const headers = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  const body = { model: 'openai/test', input: 'Hi' };
  const { body: turn } = await harness.call<{ id: string }>('POST', '/v1/turns', { body, ...headers('a') });

  const own = await harness.call('GET', `/v1/turns/${turn.id}/chain`, headers('a'));
  const foreign = await harness.call('GET', `/v1/turns/${turn.id}/chain`, headers('b'));

  expect([own.status, foreign.status]).toEqual([200, 404]);
});
