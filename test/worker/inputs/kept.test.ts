import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { type Harness, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const say = ({ call }: Harness, id: string, input: unknown) =>
  call<TurnResource>('POST', `/v1/turns/${id}/input`, { body: { input } });
const next = ({ call }: Harness, conversationId: string) =>
  call<TurnResource>('POST', `/v1/conversations/${conversationId}/turns`, { body: { input: 'Next' } });
const cancel = ({ call }: Harness, id: string) => call<TurnResource>('POST', `/v1/turns/${id}/cancel`);

const heard = ({ modelRequests }: Harness) =>
  (modelRequests.at(-1)!.body as { messages: { role: string; content: unknown }[] }).messages.flatMap(
    ({ role, content }) => (role === 'user' ? [content] : []),
  );

test('a joined input is found by words, changes the ETag and is erased with its turn', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });
  const before = await harness.call('GET', `/v1/turns/${id}`);
  const found = async () =>
    (await harness.call<{ data: TurnResource[] }>('GET', '/v1/turns?q=kingfisher')).body.data.map((turn) => turn.id);

  await say(harness, id, 'A kingfisher!');
  const headers = { 'if-none-match': String(before.headers.get('etag')) };
  const after = await harness.call('GET', `/v1/turns/${id}`, { headers });
  const foundActive = await found();
  await workUntilEnded(harness, id);
  const foundEnded = await found();
  await harness.call('DELETE', `/v1/turns/${id}`);

  expect([after.status, foundActive, foundEnded, await found()]).toEqual([200, [id], [id], []]);
  expect(await harness.db.selectFrom('inputs').selectAll().execute()).toEqual([]);
});

test('the next turn sends the unsent inputs of a cancelled turn, unless it never began', async ({ harness }) => {
  const begun = await harness.runTurn({
    input: scripted({ rounds: [{ tools: [{ name: 'locate', arguments: {} }] }] }),
    tools: [{ name: 'locate', description: 'Asks the device where the user is' }],
  });
  await say(harness, begun.id, 'Never mind');
  const waiting = await next(harness, begun.conversation_id);
  await say(harness, waiting.body.id, 'Nor this');

  await cancel(harness, waiting.body.id);
  const { body: cancelled } = await cancel(harness, begun.id);
  await next(harness, begun.conversation_id);
  await harness.workUntilIdle();

  expect(cancelled.pending_input).toEqual([{ role: 'user', content: 'Never mind' }]);
  expect(heard(harness)).toEqual([begun.input[0]!.content, 'Never mind', 'Next']);
});

test('the last round of a limit also continues after a joined input, without calls', async ({ harness }) => {
  const calling = {
    rounds: [{ tools: [{ name: 'weather_lookup', arguments: { city: 'Lisbon' } }] }],
    answer: 'So far.',
  };
  const input = scripted(calling);
  const { id } = await harness.startTurn({ input, tools: ['weather_lookup'], limits: { max_rounds: 1 } });
  await harness.workOnce();
  await harness.workOnce();

  await harness.whileModelThinks(() => say(harness, id, scripted({ answer: 'Then this.' })));
  const done = await workUntilEnded(harness, id);

  expect(done).toMatchObject({
    status: 'incomplete',
    output: 'Then this.',
    incomplete_details: { reason: 'max_rounds' },
  });
  expect(done.rounds.map(({ assistant_response: text, input }) => [text, input.length])).toEqual([
    [null, 0],
    ['So far.', 0],
    [null, 1],
  ]);
  expect(harness.modelRequests.at(-1)?.body.tool_choice).toBe('none');
});

test('streams send the superseded answer, the joined input and the next answer', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: scripted({ answer: 'First.' }) });
  await harness.whileModelThinks(() => say(harness, id, scripted({ answer: 'Second.' })));
  await workUntilEnded(harness, id);

  const read = async (path: string) => (await fetch(`${harness.url}/v1/turns/${id}/${path}`)).text();
  const events = await (
    await fetch(`${harness.url}/v1/turns/${id}/events`, { headers: { accept: 'text/event-stream' } })
  ).text();
  const chunks = await read('ui-stream');
  const expanded = await harness.call(
    'GET',
    `/v1/conversations/${(await harness.findTurn(id)).conversation_id}/messages?format=openai`,
  );

  expect(events.match(/^event: .*/gm)).toEqual(
    ['turn.queued', 'turn.started', 'input.added', 'round.completed', 'round.completed', 'turn.completed'].map(
      (type) => `event: ${type}`,
    ),
  );
  expect(chunks.match(/"delta":"[^"]*"/g)).toEqual(['"delta":"First."', '"delta":"Second."']);
  expect(chunks.match(/start-step/g)).toHaveLength(2);
  expect(JSON.stringify(expanded.body)).toMatch(/First\.[\s\S]*Second\.[\s\S]*"Second\."/);
});

test('an input that joins a response is an item of the response and of later requests', async ({ harness }) => {
  const body = { model: 'openai/test', input: scripted({ answer: 'First.' }), background: true };
  const { body: response } = await harness.call<{ id: string }>('POST', '/v1/responses', { body });
  const id = response.id.replace('resp_', 'turn_');
  await harness.whileModelThinks(() => say(harness, id, scripted({ answer: 'Second.' })));
  await workUntilEnded(harness, id);

  const { body: done } = await harness.call<{ output: { content: { text: string }[] }[]; status: string }>(
    'GET',
    `/v1/responses/${response.id}`,
  );
  const { body: items } = await harness.call<{ data: { id: string }[] }>(
    'GET',
    `/v1/responses/${response.id}/input_items?order=asc`,
  );
  const { body: next } = await harness.call<{ id: string }>('POST', '/v1/responses', {
    body: { model: 'openai/test', input: 'Next', previous_response_id: response.id, background: true },
  });
  await workUntilEnded(harness, next.id.replace('resp_', 'turn_'));

  expect([done.status, done.output.map(({ content }) => content[0]?.text)]).toEqual([
    'completed',
    ['First.', 'Second.'],
  ]);
  expect(items.data.map((item) => item.id.split('_').at(-1))).toEqual(['i0', 'i1']);
  expect(heard(harness)).toEqual([body.input, scripted({ answer: 'Second.' }), 'Next']);
});
