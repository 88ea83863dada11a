import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';

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
  const { id } = await harness.startTurn({ model: 'sim/demo', output_schema, ...body });
  await harness.workUntilIdle();
  return (await harness.call<TurnResource>('GET', `/v1/turns/${id}`)).body;
}

test('an answer that fits is the output, parsed', async () => {
  await using harness = await createHarness();

  const turn = await work(harness, { input: scripted({ answer: `\`\`\`json\n${fits}\n\`\`\`` }) });

  expect(turn).toMatchObject({ status: 'completed', output_parsed: { items: [{ price: 2.5 }] } });
  expect(turn.output).toContain('```');
  expect(turn.rounds).toHaveLength(1);
  const { body } = await harness.call<{ data: object[] }>('GET', '/v1/turns');
  expect(body.data).toMatchObject([{ output_parsed: { items: [{ price: 2.5 }] } }]);
});

test('an answer that does not fit is repaired in one more round, which is told where', async () => {
  await using harness = await createHarness();

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

test('an answer that does not fit after its repair fails the turn, and a retry asks once more', async () => {
  await using harness = await createHarness();
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
