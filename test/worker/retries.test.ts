import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, startBackgroundWorker, workUntilEnded } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../api/refusals.ts';

const failing = (fault: object, answer = 'At last.') => scripted({ answer, final: { fault: fault as never } });
const typesOf = (events: Record<string, unknown>[]) => events.map(({ type }) => type);

test('a failed model request is repeated, and the round reports its attempts', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: failing({ kind: 'status', status: 500, times: 1 }) });
  const turn = await workUntilEnded(harness, id);
  const events = await harness.listEvents(id);

  expect(turn).toMatchObject({ status: 'completed', output: 'At last.', error: null, rounds: [{ attempts: 2 }] });
  expect(harness.modelRequests).toHaveLength(2);
  expect(typesOf(events)).toEqual([
    ...['turn.queued', 'turn.started', 'step.retrying', 'round.completed', 'turn.completed'],
  ]);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual([1, 2, 3, 4, 5]);
  expect(events[2]).toMatchObject({
    ...{ turn_id: id, phase: 'llm_round', round: 1, retry_in_ms: expect.any(Number) },
    error: { type: 'provider_error', retryable: true, provider: { status: 500 } },
  });
  expect(events[3]).toMatchObject({ round: 1, attempts: 2 });
});

test.each([
  [{ kind: 'status', status: 503 }],
  [{ kind: 'status', status: 529 }],
  [{ kind: 'refuse' }],
  [{ kind: 'cut', after_chars: 4 }],
  [{ kind: 'error_event' }],
  [{ kind: 'garbage' }],
  [{ kind: 'no_finish' }],
])('%j is retried', async (fault) => {
  await using harness = await createHarness();

  const { id } = await harness.startTurn({ input: failing({ ...fault, times: 1 }) });
  const turn = await workUntilEnded(harness, id);

  expect(turn).toMatchObject({ status: 'completed', output: 'At last.', rounds: [{ attempts: 2 }] });
});

test('an empty reply is a failed attempt', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: scripted({ answer: '' }) });
  const turn = await workUntilEnded(harness, id);

  expect(turn).toMatchObject({ status: 'failed', error: { code: 'provider_bad_response' } });
  expect(harness.modelRequests).toHaveLength(5);
});

test('after five attempts the turn fails with the last error', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: failing({ kind: 'status', status: 503 }) });
  const turn = await workUntilEnded(harness, id);

  expect(harness.modelRequests).toHaveLength(5);
  expect(turn).toMatchObject({
    ...{ status: 'failed', output: null, rounds: [], phase: null, completed_at: expect.any(String) },
    error: { type: 'provider_error', retryable: true, message: expect.any(String), provider: { status: 503 } },
  });
  expect(typesOf(await harness.listEvents(id)).filter((type) => type === 'step.retrying')).toHaveLength(4);
});

test.each([
  [400, 'provider_invalid_request', {}],
  [401, 'provider_authentication_failed', {}],
  [402, 'quota_exceeded', {}],
  [403, 'provider_permission_denied', {}],
  [404, 'provider_model_not_found', {}],
  [
    400,
    'model_unsupported_feature',
    { body: { error: { code: 'unsupported_value', message: 'Not with this model.' } } },
  ],
  [429, 'quota_exceeded', { body: { error: { code: 'insufficient_quota', message: 'You ran out of credits.' } } }],
  [400, 'context_length_exceeded', { body: { error: { code: 'context_length_exceeded', message: 'Too long.' } } }],
])('%i fails the turn at once, code %s', async (status, code, more) => {
  await using harness = await createHarness();

  const turn = await harness.runTurn({ input: failing({ kind: 'status', status, ...more }) });

  expect(turn).toMatchObject({ status: 'failed', error: { type: 'provider_error', code, provider: { status } } });
  expect(turn.error?.provider?.request_id).toMatch(/^req_/);
  expect(turn.error?.message).not.toContain('sk-test');
  expect(harness.modelRequests).toHaveLength(1);
});

test('a 429 waits as long as it requests and uses no attempt', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: failing({ kind: 'status', status: 429, retry_after: 1, times: 1 }) });

  await using _worker = await startBackgroundWorker(harness);
  const turn = await harness.untilEnded(id);
  const retrying = (await harness.listEvents(id)).find(({ type }) => type === 'step.retrying');

  expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }] });
  expect(retrying).toMatchObject({ error: { code: 'provider_rate_limited' } });
  expect(retrying?.retry_in_ms).toSatisfy((ms: number) => ms > 500 && ms <= 1000, 'the rest of the second');
  expect(Date.parse(turn.completed_at!) - Date.parse(turn.started_at!)).toBeGreaterThanOrEqual(1000);
  expect(harness.modelRequests).toHaveLength(2);
});

test('a failed turn continues from its last checkpoint, with continued event numbers', async ({ harness }) => {
  await using tool = await openExternalServer(() => ({ status: 200, body: 'done' }));
  const input = scripted({
    rounds: [{ tools: [{ name: 'do_thing', arguments: { city: 'Tokyo' } }] }],
    ...{ answer: 'Back again.', final: { fault: { kind: 'status', status: 401, times: 1 } } },
  });

  const { id } = await harness.startTurn({ input, tools: [httpTool('do_thing', tool.url)] });
  const failed = await workUntilEnded(harness, id);
  const retried = await harness.call<TurnResource>('POST', `/v1/turns/${id}/retry`);
  const turn = await workUntilEnded(harness, id);
  const events = await harness.listEvents(id);

  expect(failed).toMatchObject({ status: 'failed', round: 2, error: { code: 'provider_authentication_failed' } });
  expect(retried.status).toBe(202);
  expect(retried.body).toMatchObject({ id, status: 'in_progress', error: null, completed_at: null });
  expect(Number(retried.headers.get('pawl-poll-after-ms'))).toBeGreaterThan(0);
  expect(turn).toMatchObject({ status: 'completed', output: 'Back again.', round: 2 });
  expect(tool.caught).toHaveLength(1);
  expect(typesOf(events)).toEqual([
    ...['turn.queued', 'turn.started', 'round.completed', 'tool_call.completed', 'turn.failed'],
    ...['turn.resumed', 'round.completed', 'turn.completed'],
  ]);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(events[4]).toMatchObject({ turn: { status: 'failed', output: null, error: failed.error, last_event: 5 } });
});

test('a retried turn has five attempts again', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: failing({ kind: 'status', status: 500 }) });
  await workUntilEnded(harness, id);

  await harness.call('POST', `/v1/turns/${id}/retry`);
  const turn = await workUntilEnded(harness, id);

  expect(turn.status).toBe('failed');
  expect(harness.modelRequests).toHaveLength(10);
});

test('only a failed turn can be retried', async ({ harness }) => {
  const retry = async (id: string) => describeRefusal(await harness.call('POST', `/v1/turns/${id}/retry`));

  const { id } = await harness.startTurn({ input: 'Hi' });
  const whileQueued = await retry(id);
  await harness.workUntilIdle();
  const whenCompleted = await retry(id);
  const other = await harness.startTurn({ input: 'Hi' });
  await harness.call('POST', `/v1/turns/${other.id}/cancel`);

  expect([whileQueued, whenCompleted, await retry(other.id)]).toEqual(Array(3).fill('409 turn_not_failed: null'));
});

test('a turn retried while another of its conversation is active waits for it', async ({ harness }) => {
  const { id, conversation_id } = await harness.runTurn({
    input: failing({ kind: 'status', status: 401, times: 1 }),
  });
  const path = `/v1/conversations/${conversation_id}/turns`;
  const { body: second } = await harness.call<TurnResource>('POST', path, { body: { input: 'Meanwhile' } });

  await harness.call('POST', `/v1/turns/${id}/retry`);
  await harness.workOnce();
  const between = [await harness.findTurn(second.id), await harness.findTurn(id)].map(({ status }) => status);
  await harness.workUntilIdle();

  expect(between).toEqual(['completed', 'in_progress']);
  expect((await harness.findTurn(id)).status).toBe('completed');
});
