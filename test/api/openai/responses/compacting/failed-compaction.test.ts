import { once } from 'node:events';
import { request } from 'node:http';
import { expect } from 'vitest';
import type { Turn } from '#core/turn/turn.ts';
import { compactionError } from '#services/api/openai/responses/compacting/present-compaction.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { test } from '../../test.ts';
import { raised } from '../openai-client.ts';
import { compacting, textsOf } from './compact-history.ts';

const hello = scripted({ answer: 'Hello, Ada.', summary: { say: 'Ada said hello.' } });

test('a compaction fails with the reason if its summary is cut or refused', async ({ harness, worker: _ }) => {
  const { compact, create } = compacting(harness);
  const summaries = [
    [{ say: 'Ada sa', finish_reason: 'length' }, 'its reply ended early (max_output_tokens)'],
    [{ refusal: 'I cannot.' }, 'it refused'],
  ] as const;

  for (const [summary, reason] of summaries) {
    const { id: previous_response_id } = await create({ input: scripted({ answer: 'Hi.', summary }) });
    const error = await raised(compact({ previous_response_id }));

    expect.soft(error, reason).toMatchObject({ status: 500, code: 'compaction_failed', param: null });
    expect.soft(error.message).toContain(`The model wrote no summary: ${reason}. Ask another model, or send less.`);
    expect.soft(error.headers?.get('pawl-response-id')).toMatch(/^resp_/);
    expect.soft(error.headers?.get('x-should-retry')).toBe('false');
    expect.soft((await create({ input: 'So?', previous_response_id })).status).toBe('completed');
  }
});

test('a failed turn of a compaction is answered like a failed response', async ({ harness, worker: _ }) => {
  const { compact } = compacting(harness);
  const failing = (status: number) =>
    scripted({ answer: 'Hi.', summary: { say: 'Hi.', fault: { kind: 'status', status } } });

  for (const [status, expected] of [
    [400, 400],
    [401, 500],
  ] as const) {
    const error = await raised(compact({ input: failing(status) }));
    expect(error).toMatchObject({ status: expected, code: expect.stringMatching(/^provider_/) });
    expect(error.headers?.get('x-should-retry')).toBe('false');
  }
});

test('an invalid request for a compaction is refused with its field', async ({ harness }) => {
  const { compact } = compacting(harness);
  const id = 'mcpr_01kagz8m4pfvbte2n5q7rys3wx_r1_0';
  const requested = [{ type: 'mcp_approval_request', id, server_label: 'pawl', name: 'pay', arguments: '{}' }];
  const approval = { type: 'mcp_approval_response', approval_request_id: id, approve: true };
  const refusals: [object, object][] = [
    [{}, { code: 'invalid_value', param: 'input' }],
    [{ input: [] }, { code: 'invalid_value', param: 'input' }],
    [
      { input: 'Hi', model: undefined },
      { code: 'missing_required_parameter', param: 'model' },
    ],
    [
      { input: 'Hi', tools: [] },
      { code: 'unknown_parameter', param: 'tools' },
    ],
    [
      { input: 'Hi', conversation: 'conv_1' },
      { code: 'unknown_parameter', param: 'conversation' },
    ],
    [
      { input: 'Hi', image: { detail: 'low' } },
      { code: 'unsupported_parameter', param: 'image' },
    ],
    [{ input: [{ type: 'computer_call' }] }, { code: 'unsupported_input_item', param: 'input[0].type' }],
    [{ input: [...requested, approval] }, { code: 'unsupported_input_item', param: 'input[1].type' }],
    [{ previous_response_id: 'resp_1' }, { code: 'previous_response_not_found', param: 'previous_response_id' }],
    [
      { input: [{ type: 'function_call', call_id: 'call_1', name: 'get', arguments: '{}' }] },
      { code: 'tool_output_mismatch', param: 'input' },
    ],
  ];

  for (const [body, expected] of refusals) {
    expect.soft(await raised(compact(body)), JSON.stringify(body)).toMatchObject({ status: 400, ...expected });
  }
  expect(harness.modelRequests).toEqual([]);
});

test('a compaction of a running response is refused', async ({ harness }) => {
  const { compact, create } = compacting(harness);
  const { id: previous_response_id } = await create({ input: hello, background: true });

  const error = await raised(compact({ previous_response_id }));

  expect(error).toMatchObject({ status: 400, code: 'previous_response_not_finished', param: 'previous_response_id' });
});

test('a caller who closes the connection of a compaction cancels it', async ({ harness }) => {
  const made = request(`${harness.url}/v1/responses/compact`, {
    ...{ method: 'POST', agent: false, headers: { 'content-type': 'application/json' } },
  });
  made.on('error', () => {});
  made.end(JSON.stringify({ model: 'test', input: hello }));
  await once(made, 'finish');
  const statuses = async () =>
    (await harness.db.selectFrom('turn_states').select('status').execute()).map(({ status }) => status);
  await waitUntil(async () => expect(await statuses()).toEqual(['queued']));

  made.destroy();

  await waitUntil(async () => expect(await statuses()).toEqual(['cancelled']));
});

test('a compaction repeated with its Idempotency-Key returns the first compaction', async ({ harness, worker: _ }) => {
  const { client } = compacting(harness);
  const headers = { 'idempotency-key': 'once' };
  const compact = (input: string) => client.responses.compact({ model: 'test', input }, { headers });

  const [one, other] = await Promise.all([compact(hello), compact(hello)]);
  const again = await compact(hello).withResponse();

  expect(textsOf(one)).toEqual([hello, 'compaction']);
  expect([other, again.data]).toEqual([one, one]);
  expect(again.response.headers.get('idempotency-replayed')).toBe('true');
  expect(again.response.headers.get('pawl-response-id')).toBe(one.id);
  expect(harness.modelRequests).toHaveLength(1);
  expect(await raised(compact('Else'))).toMatchObject({ status: 409, code: 'idempotency_key_reused' });
});

test('a completed turn without text is not a compaction', () => {
  const turn = { error: null, status: 'completed', incompleteReason: null, rounds: [] } as unknown as Turn;

  for (const output of [null, ' \n']) {
    expect(compactionError({ ...turn, output })?.message).toContain('its reply was empty');
  }
  expect(compactionError({ ...turn, output: 'Ada said hello.' })).toBeNull();
});
