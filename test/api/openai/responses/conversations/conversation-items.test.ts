import type OpenAI from 'openai';
import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { test } from '../../test.ts';
import { openaiClient, raised } from '../openai-client.ts';
import { asking, call, conversing, getTime, listTexts, output, says } from './converse.ts';

type Given = OpenAI.Responses.ResponseInputItem;

describeQueue(({ redis }) => {
  const queueTest = test.extend('options', () => ({ redis }));

  queueTest('added items follow earlier items, and are history of the next response', async ({ harness }) => {
    const { conversations, respond, lastSent } = conversing(harness);
    const { id } = await conversations.create();
    const first = await respond({ conversation: id, input: 'I am Ada.' });

    const added = await conversations.items.create(id, { items: [says('Added.'), call('call_1'), output('call_1')] });
    const last = await respond({ conversation: id, input: 'Who am I?' });

    expect(added).toMatchObject({
      object: 'list',
      has_more: false,
      first_id: added.data[0]!.id,
      last_id: added.data[2]!.id,
    });
    expect(lastSent().map(({ role, content }) => [role, content])).toEqual([
      ...[
        ['user', 'I am Ada.'],
        ['assistant', first.output_text],
        ['user', 'Added.'],
      ],
      ...[
        ['assistant', undefined],
        ['tool', 'Noon'],
        ['user', 'Who am I?'],
      ].map(([role, text]) => [role, text ?? null]),
    ]);
    expect(await listTexts(conversations, id)).toEqual([
      ...['I am Ada.', first.output_text, 'Added.', 'call call_1', 'output call_1', 'Who am I?', last.output_text],
    ]);
  });

  queueTest('items added during a response follow it, and do not change it', async ({ harness }) => {
    const { conversations, client, start, respond, lastSent } = conversing(harness);
    const { id } = await conversations.create();
    const active = await start({ conversation: id, input: 'One.' });
    const waiting = await start({ conversation: id, input: 'Two.' });
    await conversations.items.create(id, { items: [says('Added.')] });

    await harness.workUntilIdle();
    const sentForWaiting = lastSent();
    const last = await respond({ conversation: id, input: 'Three.' });

    const [one, two] = await Promise.all([active, waiting].map((response) => client.responses.retrieve(response.id)));
    expect(sentForWaiting.map(({ content }) => content)).toEqual(['One.', one!.output_text, 'Two.']);
    expect(lastSent().map(({ content }) => content)).toEqual([
      ...['One.', one!.output_text, 'Two.', two!.output_text, 'Added.', 'Three.'],
    ]);
    expect(last.status).toBe('completed');
  });
});

test('added items are messages of a conversation, but neither a response nor a turn', async ({ harness }) => {
  const { conversations, client } = conversing(harness);
  const { id } = await conversations.create({ items: [says('I am Ada.')] });
  const place = (await conversations.items.list(id)).data[0]!.id!.split('_')[1];

  for (const gone of [client.responses.retrieve(`resp_${place}`), client.responses.delete(`resp_${place}`)].map(
    raised,
  )) {
    expect(await gone).toMatchObject({ status: 404, code: 'response_not_found' });
  }
  for (const path of ['', '/events', '/rounds', '?wait=1']) {
    expect((await harness.call('GET', `/v1/turns/turn_${place}${path}`)).status).toBe(404);
  }
  expect((await harness.call('POST', `/v1/turns/turn_${place}/cancel`)).status).toBe(404);
  for (const query of ['', '?status=completed', `?conversation_id=${id}`, '?include=rounds']) {
    expect((await harness.call('GET', `/v1/turns${query}`)).body.data).toEqual([]);
  }
  const messages = (format: string) => harness.call('GET', `/v1/conversations/${id}/messages?format=${format}`);
  expect((await messages('compact')).body.data).toMatchObject([{ role: 'user', content: 'I am Ada.' }]);
  expect((await messages('openai')).body.data).toEqual([{ role: 'user', content: 'I am Ada.' }]);
  const previous = { previous_response_id: `resp_${place}`, input: 'Hi' };
  expect(await raised(client.responses.create({ model: 'test', ...previous }))).toMatchObject({
    code: 'previous_response_not_found',
  });
});

test('added items are validated like response items, and refused with their path', async ({ harness }) => {
  const { conversations, respond } = conversing(harness);
  const { id } = await conversations.create();
  const create = (items: unknown[]) => conversations.items.create(id, { items: items as Given[] });

  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
  expect(await create([reasoning])).toMatchObject({ data: [], first_id: null, last_id: null, has_more: false });
  expect(await conversations.create({ items: [reasoning as Given] })).toMatchObject({ object: 'conversation' });
  const response = await respond({ input: 'I am Ada.' });
  const referred = await create([{ type: 'item_reference', id: response.output[0]!.id! }]);
  expect(referred.data).toMatchObject([{ type: 'message', role: 'assistant' }]);

  const refusals: [unknown[], object][] = [
    [[says('Hi'), { type: 'computer_call' }], { code: 'unsupported_input_item', param: 'items[1].type' }],
    [[{ role: 'user' }], { code: 'missing_required_parameter', param: 'items[0].content' }],
    [[{ type: 'item_reference', id: 'msg_none' }], { code: 'item_not_found', param: 'items[0].id' }],
    [[says('Hi'), output('call_9')], { code: 'tool_output_mismatch', param: 'items[1].call_id' }],
    [Array(21).fill(says('Hi')), { code: 'invalid_value', param: 'items' }],
    [[], { code: 'invalid_value', param: 'items' }],
  ];
  for (const [items, expected] of refusals)
    expect(await raised(create(items))).toMatchObject({ status: 400, ...expected });
  expect(await listTexts(conversations, id)).toEqual([response.output_text]);
});

test('an added call must be answered before the next response', async ({ harness }) => {
  const { conversations, respond, start, lastSent } = conversing(harness);
  const { id } = await conversations.create({ items: [call('call_1'), call('call_2')] });
  await conversations.items.create(id, { items: [output('call_2', 'Two')] });

  const missing = await raised(start({ conversation: id, input: 'And?' }));
  const response = await respond({ conversation: id, input: [output('call_1', 'One')] });

  expect(missing).toMatchObject({ status: 400, code: 'tool_output_mismatch' });
  expect(missing.message).toMatch(/^400 No tool output found for function call call_1\./);
  expect(response.status).toBe('completed');
  expect(lastSent()).toMatchObject([
    { role: 'assistant' },
    { role: 'tool', tool_call_id: 'call_1', content: 'One' },
    { role: 'tool', tool_call_id: 'call_2', content: 'Two' },
  ]);
});

test('an added item may answer the call that a response handed over', async ({ harness }) => {
  const { conversations, respond, start, lastSent } = conversing(harness);
  const { id } = await conversations.create();
  const active = await start({ conversation: id, input: asking, tools: [getTime] });

  const early = await raised(conversations.items.create(id, { items: [output('call_t')] }));
  await harness.workUntilIdle();
  await conversations.items.create(id, { items: [says('Hurry.')] });
  await conversations.items.create(id, { items: [output('call_t')] });
  const answered = await respond({ conversation: id, input: [], tools: [getTime] });

  expect(early).toMatchObject({ status: 400, code: 'previous_response_not_finished' });
  expect(active.status).toBe('queued');
  expect(answered.status).toBe('completed');
  expect(lastSent()).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: 'Let me look.', tool_calls: [{ id: 'call_t' }] },
    { role: 'tool', tool_call_id: 'call_t', content: 'Noon' },
    { role: 'user', content: 'Hurry.' },
  ]);
});

test('a native turn continues if an added call has no result', async ({ harness }) => {
  const { conversations, lastSent } = conversing(harness);
  const { id } = await conversations.create({ items: [call('call_1')] });

  const { body } = await harness.call<TurnResource>('POST', `/v1/conversations/${id}/turns`, {
    body: { model: 'openai/test', input: 'Hi' },
  });
  await harness.workUntilIdle();

  expect(await harness.findTurn(body.id)).toMatchObject({ status: 'completed' });
  expect(lastSent().map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
});

test('an unstored fork may follow added items only after earlier responses have ended', async ({ harness }) => {
  const client = openaiClient(harness, '/openai/v1');
  const { conversations, start, lastSent } = conversing(harness);
  const { id } = await conversations.create();
  await start({ conversation: id, input: 'I am Ada.' });
  await conversations.items.create(id, { items: [says('Added.')] });
  const unstored = { model: 'test', conversation: id, input: 'Who am I?', store: false };

  expect(await raised(client.responses.create(unstored))).toMatchObject({ code: 'previous_response_not_finished' });
  await harness.workUntilIdle();
  const streamed = await client.responses.create({ ...unstored, stream: true });
  await harness.workUntilIdle();
  for await (const _ of streamed);

  expect(lastSent().map(({ content }) => content)).toEqual(['I am Ada.', expect.any(String), 'Added.', 'Who am I?']);
  expect(await listTexts(conversations, id)).not.toContain('Who am I?');
});
