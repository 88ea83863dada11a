import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const schema = {
  type: 'object',
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: { price: { type: 'number' } },
        required: ['price'],
        additionalProperties: false,
      },
    },
  },
  required: ['items'],
  additionalProperties: false,
};
const output_schema = { name: 'order', schema };
const fits = '{"items":[{"price":2.5}]}';
const broken = '{"items":[{"price":"2.50"}]}';

async function work(harness: Harness, body: object): Promise<TurnResource> {
  const { id } = await harness.runTurn({ model: 'openai/test', output_schema, ...body });
  return (await harness.call<TurnResource>('GET', `/v1/turns/${id}`)).body;
}

test('a valid answer is the output, parsed', async ({ harness }) => {
  const turn = await work(harness, { input: scripted({ answer: `\`\`\`json\n${fits}\n\`\`\`` }) });

  expect(turn).toMatchObject({ status: 'completed', output_parsed: { items: [{ price: 2.5 }] } });
  expect(turn.output).toContain('```');
  expect(turn.rounds).toHaveLength(1);
  const { body } = await harness.call<{ data: object[] }>('GET', '/v1/turns');
  expect(body.data).toMatchObject([{ output_parsed: { items: [{ price: 2.5 }] } }]);
});

test('an invalid answer is repaired in another round, which is sent the violations', async ({ harness }) => {
  const turn = await work(harness, { input: scripted({ answer: broken, repairs: [{ say: fits }] }) });

  expect(turn).toMatchObject({
    status: 'completed',
    output: fits,
    output_parsed: { items: [{ price: 2.5 }] },
    round: 2,
  });
  expect(turn.rounds).toMatchObject([
    { number: 1, assistant_response: broken, tool_calls: [] },
    { number: 2, assistant_response: null, tool_calls: [] },
  ]);
  expect(turn.usage.llm_calls).toBe(2);
  const { messages } = harness.modelRequests[1]!.body as { messages: { role: string; content: string }[] };
  expect(messages.slice(-2)).toMatchObject([
    { role: 'assistant', content: broken },
    { role: 'user', content: expect.stringContaining('/items/0/price must be number') },
  ]);
});

test('an invalid answer after a repair fails the turn, and a retry asks once more', async ({ harness }) => {
  const repairs = [{ say: '{"items":[{}]}' }, { say: fits }];

  const turn = await work(harness, { input: scripted({ answer: broken, repairs }) });
  await harness.call('POST', `/v1/turns/${turn.id}/retry`);
  await harness.workUntilIdle();
  const { body: retried } = await harness.call<TurnResource>('GET', `/v1/turns/${turn.id}`);

  expect(turn).toMatchObject({ status: 'failed', output: '{"items":[{}]}', output_parsed: null });
  expect(turn.error).toMatchObject({ type: 'output_schema_error', code: 'output_schema_violated', retryable: true });
  expect(turn.error?.message).toContain('/items/0/price is required');
  expect(turn.rounds.map((round) => round.assistant_response)).toEqual([broken, null]);
  expect(retried).toMatchObject({ status: 'completed', output: fits, error: null, round: 3 });
  expect(retried.rounds.map((round) => round.assistant_response)).toEqual([broken, '{"items":[{}]}', null]);
});

test('the text beside calls is free, and a repair makes no calls, in each tool mode', async ({ harness }) => {
  const tools = ['weather_lookup'];
  const rounds = [{ say: 'Let me look.', tools: [{ name: 'weather_lookup', arguments: { city: 'Lisbon' } }] }];
  const script = { rounds, answer: broken, repairs: [{ say: fits, tools: rounds[0]!.tools }] };

  const native = await work(harness, { tools, input: scripted(script) });
  const asked = harness.modelRequests.map(({ body }) => [body.tools?.length, body.tool_choice]);
  const emulated = await work(harness, {
    ...{ tools, tool_mode: 'emulated' },
    input: scripted({ ...script, calls_as: 'json' }),
  });
  const inline = await work(harness, {
    ...{ tools, tool_mode: 'inline' },
    input: scripted({ ...script, calls_as: 'inline' }),
  });

  expect(asked).toEqual([
    [1, undefined],
    [1, undefined],
    [1, 'none'],
  ]);
  for (const turn of [native, emulated, inline]) {
    expect(turn).toMatchObject({ status: 'completed', output_parsed: { items: [{ price: 2.5 }] } });
    expect(turn.rounds.map(({ tool_calls }) => tool_calls.length)).toEqual([1, 0, 0]);
    expect(turn.rounds[1]!.assistant_response).toBe(broken);
  }
});

test('a wire gets the schema in each round, strict if possible, else as instructions', async ({ harness }) => {
  const open = { type: 'object', properties: { city: { type: 'string' } } };
  const input = scripted({ answer: broken, repairs: [{ say: fits }] });

  await work(harness, { input });
  await work(harness, { input: scripted({ answer: '{}' }), output_schema: { name: 'place', schema: open } });
  await work(harness, {
    ...{ input: scripted({ answer: '{}' }), instructions: 'Be brief.' },
    output_schema: { name: 'place', schema: open, mode: 'instructions' },
  });

  const bodies = harness.modelRequests.map(({ body }) => body);
  const strict = { type: 'json_schema', json_schema: { name: 'order', strict: true, schema } };
  const loose = { type: 'json_schema', json_schema: { name: 'place', strict: false, schema: open } };
  expect(bodies.map((body) => body.response_format)).toEqual([strict, strict, loose, undefined]);
  const [system] = bodies[3]!.messages;
  expect(system).toMatchObject({ role: 'system', content: expect.stringMatching(/^Be brief\.\n\n/) });
  expect(system!.content).toContain(JSON.stringify(open));
});

test('a cut or refused reply and the last round of a limit end the turn unchecked', async ({ harness }) => {
  const cut = await work(harness, { input: scripted({ final: { say: '{"it', finish_reason: 'length' } }) });
  const refused = await work(harness, { input: scripted({ final: { refusal: 'No.' } }) });
  const limited = await work(harness, {
    input: scripted({ answer: broken, repairs: [{ say: 'Sorry.' }] }),
    limits: { max_total_tokens: 1 },
  });

  expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  expect(refused).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } });
  expect(limited).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_total_tokens' } });
  expect(limited).toMatchObject({ output: 'Sorry.', rounds: [{ assistant_response: broken }, {}] });
  for (const turn of [cut, refused, limited]) expect(turn.output_parsed).toBeNull();
});

test('the next turn is sent both answers and the note, whether the repair fits or not', async ({ harness }) => {
  const standing = { model: 'openai/test', output_schema };
  const { body: conversation } = await harness.call('POST', '/v1/conversations', { body: standing });
  const path = `/v1/conversations/${conversation.id}/turns`;
  const start = (body: object) => harness.call('POST', path, { body });

  await start({ input: scripted({ answer: broken, repairs: [{ say: fits }] }) });
  await start({ input: scripted({ answer: broken, repairs: [{ say: '{}' }] }) });
  await start({ input: scripted({ answer: fits }) });
  await harness.workUntilIdle();

  const { messages } = harness.modelRequests.at(-1)!.body;
  const note = expect.stringContaining('/items/0/price must be number');
  expect(messages.map(({ content }) => content)).toEqual([
    ...[expect.any(String), broken, note, fits],
    ...[expect.any(String), broken, note, '{}'],
    expect.any(String),
  ]);
  const { body: list } = await harness.call<{ data: { rounds?: unknown[] }[] }>(
    'GET',
    `/v1/conversations/${conversation.id}/messages`,
  );
  expect(list.data[1]).toMatchObject({ content: fits, rounds: [{ number: 1, assistant_response: broken }] });
});

test('each round is published in order, and a retried turn keeps its failure', async ({ harness }) => {
  const turn = await work(harness, { input: scripted({ answer: broken, repairs: [{ say: '{}' }, { say: fits }] }) });
  const eventsOf = async () => (await harness.call<{ data: object[] }>('GET', `/v1/turns/${turn.id}/events`)).body.data;

  const before = await eventsOf();
  await harness.call('POST', `/v1/turns/${turn.id}/retry`);
  await harness.workUntilIdle();
  const after = await eventsOf();

  expect(before).toMatchObject([
    ...[{ type: 'turn.queued' }, { type: 'turn.started' }],
    { type: 'round.completed', round: 1, assistant_response: broken },
    { type: 'round.completed', round: 2, assistant_response: null },
    { type: 'turn.failed', turn: { output: '{}', error: { code: 'output_schema_violated' } } },
  ]);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length)).toMatchObject([
    ...[{ type: 'turn.resumed' }, { type: 'round.completed', round: 3 }],
    { type: 'turn.completed', turn: { output: fits, output_parsed: { items: [{ price: 2.5 }] } } },
  ]);
});

test('a job delivered twice saves each round once', async ({ harness }) => {
  const input = scripted({ answer: broken, repairs: [{ say: fits }] });

  const { id } = await harness.startTurn({ model: 'openai/test', output_schema, input });
  await harness.workUntilIdle({ deliveries: 3 });
  const turn = await harness.findTurn(id);

  expect(turn).toMatchObject({ status: 'completed', rounds: [{ number: 1 }, { number: 2 }] });
  expect(harness.modelRequests).toHaveLength(2);
});
