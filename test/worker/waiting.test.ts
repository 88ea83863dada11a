import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { timing } from '#core/turn/timing.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const failing = (status: number) =>
  scripted({ answer: 'At last.', final: { fault: { kind: 'status', status, retry_after: 30, times: 1 } } });
const input = scripted({ rounds: [{ tools: [{ name: 'look', arguments: {}, id: 'call_1' }] }], answer: 'Done.' });
const look = {
  name: 'look',
  description: 'Looks out of the window.',
  execution: { kind: 'client' },
  expires_in_seconds: 3_600,
};

async function started(harness: Harness, request: object): Promise<TurnResource> {
  return harness.runTurn({ ...request });
}

test('a new turn waits for a worker since its creation, and the next for that turn', async ({ harness }) => {
  const first = await harness.startTurn({ input: 'Hi' });
  const path = `/v1/conversations/${first.conversation_id}/turns`;
  const { body: second } = await harness.call<TurnResource>('POST', path, { body: { input: 'And?' } });
  const read = [await harness.findTurn(first.id), await harness.findTurn(second.id)];

  expect([first, second].map(({ waiting }) => waiting)).toEqual(read.map(({ waiting }) => waiting));
  expect(first.waiting).toEqual({ for: 'slot', since: first.created_at });
  expect(second.waiting).toEqual({ for: 'turn', since: second.created_at });
});

test('a turn that becomes the head waits for a worker since then', async ({ harness }) => {
  const first = await harness.startTurn({ input: 'Hi' });
  const path = `/v1/conversations/${first.conversation_id}/turns`;
  const { body: second } = await harness.call<TurnResource>('POST', path, { body: { input: 'And?' } });

  await harness.workOnce();

  const ended = await harness.findTurn(first.id);
  const { waiting } = await harness.findTurn(second.id);
  expect(ended).toMatchObject({ status: 'completed', waiting: null });
  expect(waiting).toEqual({ for: 'slot', since: ended.completed_at });
});

test.each([
  ['client', look],
  ['approval', { ...look, approval: 'always' }],
])('a turn with a call for a %s waits for it, until the call is given up', async (what, tool) => {
  await using harness = await createHarness();

  const turn = await started(harness, { input, tools: [tool] });
  const { body: list } = await harness.call<{ data: TurnResource[] }>('GET', '/v1/turns');

  const since = turn.rounds[0]?.completed_at;
  expect(turn.waiting).toEqual({ for: what, since, until: turn.required_action?.expires_at });
  expect(list.data[0]?.waiting).toEqual(turn.waiting);
});

test.each([
  [503, 'retry'],
  [429, 'provider'],
])('a turn that met a %i waits for a %s since then, and for a worker at its time', async (status, what) => {
  await using harness = await createHarness();

  const { id, waiting } = await started(harness, { input: failing(status) });
  const retrying = (await harness.listEvents(id)).find(({ type }) => type === 'step.retrying');
  const at = String(retrying?.created_at);
  const until = new Date(Date.parse(at) + Number(retrying?.retry_in_ms)).toISOString();
  await harness.advance(60_000);

  expect(waiting).toEqual({ for: what, since: at, until });
  expect((await harness.findTurn(id)).waiting).toMatchObject({ for: 'slot' });
});

test('a turn with a running step does not wait, and waits for a worker after its loss', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });
  await harness.worker.turnCache.begin(id, 'a-run-that-dies');

  const atWork = await harness.findTurn(id);
  await harness.advance(timing.leaseMs + 1);
  const lost = await harness.findTurn(id);

  expect(atWork).toMatchObject({ status: 'in_progress', waiting: null });
  expect(lost).toMatchObject({ status: 'in_progress', waiting: { for: 'slot' } });
});

test('a failed turn does not wait, and waits for a worker after its retry', async ({ harness }) => {
  const failed = await started(harness, { input: scripted({ final: { fault: { kind: 'status', status: 401 } } }) });
  const { body: retried } = await harness.call<TurnResource>('POST', `/v1/turns/${failed.id}/retry`);
  const resumed = (await harness.listEvents(failed.id)).find(({ type }) => type === 'turn.resumed');

  expect(failed).toMatchObject({ status: 'failed', waiting: null });
  expect(retried.waiting).toEqual({ for: 'slot', since: resumed?.created_at });
});
