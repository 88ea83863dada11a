import { expect } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

type Sent = { model: string; instructions: string | null; messages: unknown[]; tools: { name: string }[] };
type Asked = { model: string; messages: { role: string; content: string; tool_calls?: unknown }[]; tools?: unknown[] };

const call = { name: 'weather_lookup', arguments: { city: 'Tokyo' }, id: 'call_1' };
const input = scripted({ rounds: [{ say: 'Let me look.', tools: [call] }], answer: 'It is sunny.' });

async function sentFor({ call: ask }: Harness, id: string, round: number): Promise<Sent> {
  const { status, body } = await ask<Sent>('GET', `/v1/turns/${id}/rounds/${round}/sent`);
  expect(status).toBe(200);
  return body;
}

/** Splits messages of a request as the list does: a text, then its calls. */
function apart(messages: Asked['messages']): unknown[] {
  return messages.flatMap(({ role, content, tool_calls: calls, ...more }) => [
    ...(content ? [{ role, content, ...more }] : []),
    ...(calls ? [{ role, tool_calls: calls }] : []),
  ]);
}

test('each round shows the messages of its request, including earlier turns', async ({ harness }) => {
  const first = await harness.startTurn({ input: 'Hi', instructions: 'You are brief.' });
  await harness.workUntilIdle();
  const tools = ['weather_lookup'];
  const path = `/v1/conversations/${first.conversation_id}/turns`;
  const go = async (body: object) => {
    const { body: turn } = await harness.call<{ id: string }>('POST', path, { body });
    await harness.workUntilIdle();
    return turn;
  };
  const second = await go({ input, tools, temperature: 0.5 });
  await go({ input: 'Later.' });

  const asked = harness.modelRequests.map(({ body }) => body as unknown as Asked);
  for (const [round, request] of [asked[1], asked[2]].entries()) {
    const sent = await sentFor(harness, second.id, round + 1);
    const system = sent.instructions === null ? [] : [{ role: 'system', content: sent.instructions }];
    expect([...system, ...sent.messages]).toEqual(apart(request?.messages ?? []));
    expect(sent.tools.map(({ name }) => name)).toEqual(tools);
    expect(sent).toMatchObject({ model: 'openai/test', temperature: 0.5, round: round + 1 });
  }
});

test('a failed or pending round shows its messages, and other rounds are not found', async ({ harness }) => {
  const failing = scripted({ rounds: [], final: { fault: { kind: 'status', status: 401 } } });
  const failed = await harness.startTurn({ input: failing });
  const done = await harness.startTurn({ input: 'Hi' });
  await harness.workUntilIdle();
  const ask = (id: string, round: string) => harness.call('GET', `/v1/turns/${id}/rounds/${round}/sent`);

  expect((await sentFor(harness, failed.id, 1)).messages).toEqual([{ role: 'user', content: failing }]);
  const others = [ask(failed.id, '2'), ask(done.id, '2'), ask(done.id, '0'), ask(done.id, 'x')];
  for (const { status, body } of await Promise.all(others)) {
    expect([status, body.error]).toEqual([404, expect.objectContaining({ code: 'round_not_found' })]);
  }
});

test('the sent messages of a round exclude deleted turns', async ({ harness }) => {
  const body = { model: 'test', input: 'A secret.', background: true, store: true };
  const { body: first } = await harness.call<{ id: string }>('POST', '/v1/responses', { body });
  await harness.workUntilIdle();
  const next = { model: 'test', input: 'Go on.', background: true, previous_response_id: first.id };
  const { body: second } = await harness.call<{ id: string }>('POST', '/v1/responses', { body: next });
  await harness.workUntilIdle();
  const id = second.id.replace('resp_', 'turn_');

  const before = JSON.stringify(await sentFor(harness, id, 1));
  await harness.call('DELETE', `/v1/responses/${first.id}`);
  const after = JSON.stringify(await sentFor(harness, id, 1));

  expect(before).toContain('A secret.');
  expect(after).not.toContain('A secret.');
});
