import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { asInput, compacting, lastMessages, textsOf } from './compact-history.ts';

const hello = scripted({ answer: 'Hello, Ada.', summary: { say: 'Ada said hello.' } });
const summary = 'Summary of the conversation so far, which stands in its place:\n\n';

test.for(['/v1', '/openai/v1'] as const)(
  'a compaction under %s contains the user’s messages and a summary',
  async (base, { harness, worker: _ }) => {
    const { compact, create } = compacting(harness, base);
    const input = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'I am Ada.' },
      { role: 'assistant', content: 'Noted.' },
      { type: 'function_call', call_id: 'call_1', name: 'get', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: '7' },
      { role: 'user', content: hello },
    ];

    const compacted = await compact({ input, instructions: 'Be brief.' });
    const next = await create({ input: [...asInput(compacted), { role: 'user', content: 'Who am I?' }] });

    const x = compacted.id.replace('resp_', '');
    expect(compacted).toEqual({
      ...{ id: expect.stringMatching(/^resp_/), object: 'response.compaction', created_at: expect.any(Number) },
      output: [
        {
          ...{ id: `msg_${x}_i1`, type: 'message', role: 'user', status: 'completed' },
          content: [{ type: 'input_text', text: 'I am Ada.' }],
        },
        {
          ...{ id: `msg_${x}_i5`, type: 'message', role: 'user', status: 'completed' },
          content: [{ type: 'input_text', text: hello }],
        },
        { id: `cmp_${x}_r1`, type: 'compaction', encrypted_content: expect.stringMatching(/^pawl1\./) },
      ],
      usage: {
        ...{ input_tokens: expect.any(Number), input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } },
        ...{ output_tokens: expect.any(Number), output_tokens_details: { reasoning_tokens: 0 } },
        total_tokens: expect.any(Number),
      },
    });
    expect(harness.modelRequests[0]!.body.messages).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'I am Ada.' },
      { role: 'assistant', content: 'Noted.' },
      { role: 'tool', content: '7' },
      { role: 'user', content: hello },
      { role: 'user', content: expect.stringMatching(/^Summarize this conversation\./) },
    ]);
    expect(next.status).toBe('completed');
    expect(lastMessages(harness)).toMatchObject([
      { content: 'I am Ada.' },
      { content: hello },
      { role: 'user', content: `${summary}Ada said hello.` },
      { content: 'Who am I?' },
    ]);
  },
);

test('a compaction covers the chain of a response, without deleted responses', async ({ harness, worker: _ }) => {
  const { client, compact, create } = compacting(harness);
  const first = await create({ input: 'One' });
  const second = await create({ input: 'Two', previous_response_id: first.id });
  const third = await create({ input: hello, previous_response_id: second.id });

  const whole = await compact({ previous_response_id: third.id });
  const longer = await compact({ previous_response_id: third.id, input: 'Four' });
  const shorter = await compact({ previous_response_id: second.id, input: null });
  await client.responses.delete(second.id);
  const without = await compact({ previous_response_id: third.id });

  expect(textsOf(whole)).toEqual(['One', 'Two', hello, 'compaction']);
  expect(whole.output.map(({ id }) => id)).toEqual([
    ...[first, second, third].map(({ id }) => `${id.replace('resp_', 'msg_')}_i0`),
    `${whole.id.replace('resp_', 'cmp_')}_r1`,
  ]);
  expect(textsOf(longer)).toEqual(['One', 'Two', hello, 'Four', 'compaction']);
  expect(textsOf(shorter)).toEqual(['One', 'Two', 'compaction']);
  expect(textsOf(without)).toEqual(['One', hello, 'compaction']);
  const said = lastMessages(harness).map(({ content }) => content);
  expect(said.slice(-3, -1)).toEqual([hello, 'Hello, Ada.']);
  expect((await client.responses.retrieve(third.id)).status).toBe('completed');
});

test('a compacted history can be compacted again into one summary', async ({ harness, worker: _ }) => {
  const { compact, create } = compacting(harness);
  const first = await compact({ input: hello });
  const answered = await create({ input: [...asInput(first), { role: 'user', content: 'And then?' }] });

  const byItems = await compact({ input: [...asInput(first), { role: 'user', content: 'And then?' }] });
  const byChain = await compact({ previous_response_id: answered.id });
  const question = scripted({ answer: 'Once.', summary: { say: 'All: {{conversation}}' } });
  const third = await compact({ input: [...asInput(byChain), { role: 'user', content: question }] });
  await create({ input: [...asInput(third), { role: 'user', content: 'So?' }] });

  for (const compacted of [byItems, byChain]) expect(textsOf(compacted)).toEqual([hello, 'And then?', 'compaction']);
  expect(textsOf(third)).toEqual([hello, 'And then?', question, 'compaction']);
  const read = lastMessages(harness).map(({ content }) => content);
  expect(read).toHaveLength(5);
  expect(read[3]).toContain(`${summary}All: `);
  expect(read[3]).toContain(`${summary}The user and the assistant spoke`);
});

test('a compaction is an unstored turn, and its usage counts', async ({ harness, worker: _ }) => {
  const { client, compact, create } = compacting(harness, '/openai/v1');
  const { id: previous_response_id } = await create({ input: hello });
  const usage = async () => (await harness.call<{ data: { turns: number }[] }>('GET', '/v1/usage')).body.data;

  const { id } = await compact({ previous_response_id });

  const turn = `/v1/turns/${id.replace('resp_', 'turn_')}`;
  for (const path of [`/v1/responses/${id}`, `/v1/responses/${id}/input_items`, turn, `${turn}/rounds`]) {
    expect.soft((await harness.call('GET', path)).status, path).toBe(404);
  }
  expect((await harness.call<{ data: object[] }>('GET', '/v1/turns')).body.data).toHaveLength(1);
  await expect(create({ input: 'So?', previous_response_id: id })).rejects.toMatchObject({
    ...{ status: 400, code: 'previous_response_not_found' },
  });
  await expect(client.responses.cancel(id)).rejects.toMatchObject({ status: 404 });
  expect((await usage()).reduce((sum, { turns }) => sum + turns, 0)).toBe(2);
});

test('a compaction covers calls that were allowed before, and runs no call', async ({ harness, worker: _ }) => {
  const { compact } = compacting(harness);
  const id = 'mcpr_01kagz8m4pfvbte2n5q7rys3wx_r1_0';
  const call = { server_label: 'pawl', name: 'pay', arguments: '{}' };
  const input = [
    { role: 'user', content: 'Pay.' },
    { type: 'mcp_approval_request', id, ...call },
    { type: 'mcp_approval_response', approval_request_id: id, approve: true },
    { type: 'mcp_call', ...call, output: 'Paid.', approval_request_id: id },
  ];

  const compacted = await compact({ input });

  expect(textsOf(compacted)).toEqual(['Pay.', 'compaction']);
  expect(JSON.stringify(lastMessages(harness))).toContain('Paid.');
  expect(harness.modelRequests).toHaveLength(1);
});
