import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { letTimePass } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { flood, openTwoProjects } from './flood.ts';

const input = scripted({ answer: 'Done.' });
const hanging = scripted({ final: { fault: { kind: 'hang' } } });

test('begun turns get slots before new turns, and new turns by priority', async () => {
  await using harness = await openTwoProjects({ a: { maxActiveTurns: 1 } });
  const retrying = scripted({ final: { fault: { kind: 'status', status: 503, retry_after_ms: 30_000, times: 1 } } });
  const first = await harness.a.startTurn({ input: retrying });
  expect(await harness.slotsOf('a')).toBe(1);
  const low = await harness.a.startTurn({ input });
  const high = await harness.a.startTurn({ input, priority: 5 });
  const order: string[] = [];
  const note = async (turn: TurnResource) => {
    if ((await harness.a.findTurn(turn.id)).status === 'completed' && !order.includes(turn.id)) order.push(turn.id);
  };

  await harness.workOnce();
  expect((await harness.a.findTurn(first.id)).waiting).toMatchObject({ for: 'retry' });
  await harness.advance(60_000);
  await harness.admit();
  for (let steps = 0; steps < 3; steps += 1) {
    await harness.workOnce();
    for (const turn of [first, low, high]) await note(turn);
  }

  expect(order).toEqual([high.id, first.id, low.id]);
});

test('a turn that waits for its client has no slot, and its answer requests a slot', async () => {
  await using harness = await openTwoProjects({ a: { maxActiveTurns: 1 } });
  const tools = [{ name: 'ask', description: 'Asks the device where it is', execution: { kind: 'client' } }];
  const asking = scripted({ rounds: [{ tools: [{ name: 'ask', arguments: {} }] }] });
  const waiting = await harness.a.startTurn({ input: asking, tools });
  const other = await harness.a.startTurn({ input: hanging });
  await harness.workOnce();
  await harness.admit();

  const working = harness.workOnce();
  await waitUntil(() => expect(harness.modelRequests.length).toBe(2));
  const call = (await harness.a.findTurn(waiting.id)).required_action?.tool_outputs[0];
  const outputs = [{ tool_call_id: call?.id, output: 'yes' }];
  const answered = await harness.a.call('POST', `/v1/turns/${waiting.id}/tool_outputs`, {
    body: { tool_outputs: outputs },
  });

  expect(answered.status).toBe(200);
  await harness.admit();
  expect((await harness.a.findTurn(waiting.id)).waiting).toMatchObject({ for: 'project_quota' });
  await harness.a.call('POST', `/v1/turns/${other.id}/cancel`);
  await harness.beat();
  await working;
  await harness.workUntilIdle();
  expect((await harness.a.findTurn(waiting.id)).status).toBe('completed');
});

test('turns keep the slots of a dead worker, and no other turns get these slots', async () => {
  await using harness = await openTwoProjects();
  await sql`insert into workers (id, concurrency) values ('wrk_1', 8), ('wrk_2', 8)`.execute(harness.db);
  await flood(harness, (await harness.a.startTurn({ input })).id, 100);
  await harness.admit();
  const both = await harness.slotsOf('a');

  await sql`delete from workers where id = 'wrk_2'`.execute(harness.db);
  await harness.admit();
  const then = await harness.slotsOf('a');
  for (let step = 0; step < 10; step += 1) await harness.workOnce();

  expect([both, then, await harness.slotsOf('a')]).toEqual([12, 12, 6]);
});

test('turns that were started without slots need slots after a reload', async () => {
  await using harness = await openTwoProjects({ alone: true });
  const started = await Promise.all(Array.from({ length: 5 }, () => harness.a.startTurn({ input })));
  expect(await harness.countJobs()).toBe(5);

  harness.bounds.a = { maxActiveTurns: 2 };
  await harness.admit();
  const held = await harness.slotsOf('a');
  await harness.workUntilIdle();

  expect(held).toBe(2);
  const ended = await Promise.all(started.map(({ id }) => harness.a.findTurn(id)));
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['completed']));
  harness.bounds.a = {};
  const last = await harness.a.startTurn({ input });
  await harness.workUntilIdle();
  expect((await harness.a.findTurn(last.id)).status).toBe('completed');
});

test('a backlog gets its slots in small commits after a reload', async () => {
  await using harness = await openTwoProjects({ alone: true });
  await flood(harness, (await harness.a.startTurn({ input })).id, 1_200);
  await sql`update work set slot = null, due_at = now() + interval '1 minute'`.execute(harness.db);

  harness.bounds.alone = false;
  await harness.admit();

  const { rows } = await sql<{ turns: number }>`
    select count(*)::int as turns from work where slot = 'wanted' group by xmin::text order by 1`.execute(harness.db);
  expect(rows.reduce((sum, { turns }) => sum + turns, 0)).toBe(1_201 - 12);
  expect(rows.at(-1)?.turns).toBeLessThanOrEqual(500);
});

test('turns that wait for a slot all run if a reload leaves a single project', async () => {
  await using harness = await openTwoProjects();
  await flood(harness, (await harness.a.startTurn({ input })).id, 40);
  await harness.admit();
  await harness.admit();

  harness.bounds.alone = true;
  await harness.workUntilIdle();

  const { rows } = await sql<{ status: string }>`select distinct status from turn_states`.execute(harness.db);
  expect(rows).toEqual([{ status: 'completed' }]);
});

test('a single project needs no slots, and no slot is written', async () => {
  await using harness = await openTwoProjects({ alone: true });
  const { id } = await harness.a.startTurn({ input });
  const { rows } = await sql<{ slot: string | null }>`select slot from work where id = ${id}`.execute(harness.db);

  await harness.workUntilIdle();

  expect(rows).toEqual([{ slot: null }]);
  expect((await harness.a.findTurn(id)).status).toBe('completed');
});

test('next turns, retried turns and responses request a slot and run with it', async () => {
  await using harness = await openTwoProjects({ a: { maxActiveTurns: 1 } });
  const failing = scripted({ answer: 'Done.', final: { fault: { kind: 'status', status: 401, times: 1 } } });
  const first = await harness.a.startTurn({ input: failing });
  const path = `/v1/conversations/${first.conversation_id}/turns`;
  const { body: next } = await harness.a.call<TurnResource>('POST', path, { body: { input } });
  const response = { model: 'openai/test', input, background: true };
  await harness.a.call('POST', '/v1/responses', { body: response });
  const slots = async () => {
    const { rows } = await sql<{ slot: string }>`select slot from work order by id`.execute(harness.db);
    return rows.map(({ slot }) => slot);
  };
  await harness.admit();
  const before = await slots();

  await harness.workUntilIdle();
  await harness.a.call('POST', `/v1/turns/${first.id}/retry`);
  await harness.workUntilIdle();

  expect(before).toEqual(['held', 'none', 'wanted']);
  const turns = await harness.a.call<{ data: TurnResource[] }>('GET', '/v1/turns');
  expect(turns.body.data.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  expect((await harness.a.findTurn(next.id)).output).toBe('Done.');
  expect(await slots()).toEqual([]);
});

test('a turn that waits for a slot ends at its deadline', async () => {
  await using harness = await openTwoProjects({ a: { maxActiveTurns: 1 } });
  await harness.a.startTurn({ input });
  await harness.admit();
  const { id } = await harness.a.startTurn({ input, limits: { deadline_seconds: 30 } });
  await harness.admit();
  const { waiting } = await harness.a.findTurn(id);

  await letTimePass(harness);

  expect(waiting).toMatchObject({ for: 'project_quota' });
  expect(await harness.a.findTurn(id)).toMatchObject({
    ...{ status: 'incomplete', incomplete_details: { reason: 'deadline' }, waiting: null },
  });
});

test('a step that a stopping worker hands back keeps its slot', async () => {
  await using harness = await openTwoProjects({ a: { maxActiveTurns: 1 } });
  const { id } = await harness.a.startTurn({ input: hanging });
  const working = harness.workOnce();
  await waitUntil(() => expect(harness.modelRequests.length).toBe(1));

  harness.worker.heartbeat.stop('shutdown');
  await working;

  expect([await harness.slotsOf('a'), await harness.countJobs()]).toEqual([1, 1]);
  await harness.a.call('POST', `/v1/turns/${id}/cancel`);
  expect(await harness.slotsOf('a')).toBe(0);
});
