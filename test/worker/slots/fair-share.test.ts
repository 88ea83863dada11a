import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { flood, openTwoProjects } from './flood.ts';

const input = scripted({ answer: 'Done.' });
const hanging = scripted({ final: { fault: { kind: 'hang' } } });

/** The slots of the harness with a manual worker. A project may have three quarters of these slots. */
const PLACES = 16;
const MOST = 12;

/** Runs this number of steps, and returns how many turns of each project have ended. */
async function endedAfter(steps: number, harness: Harness): Promise<{ a: number; b: number }> {
  for (let step = 0; step < steps; step += 1) await harness.workOnce();
  const { rows } = await sql<{ project: 'a' | 'b'; ended: number }>`
    select project, count(*)::int as ended from turns where status = 'completed' group by project`.execute(harness.db);
  return { a: 0, b: 0, ...Object.fromEntries(rows.map(({ project, ended }) => [project, ended])) };
}

describeQueue(({ redis }) => {
  test('a turn of a project runs at once despite ten thousand turns of another project', async () => {
    await using harness = await openTwoProjects({ redis });
    await flood(harness, (await harness.a.startTurn({ input, priority: 9 })).id, 10_000);
    await harness.admit();
    const before = await endedAfter(20, harness);

    const { id } = await harness.b.startTurn({ input });
    const after = await endedAfter(PLACES, harness);

    expect(before).toEqual({ a: 20, b: 0 });
    expect((await harness.b.findTurn(id)).status).toBe('completed');
    expect(after).toEqual({ a: 20 + PLACES - 1, b: 1 });
    expect(await harness.countJobs()).toBeLessThanOrEqual(PLACES);
  });

  test('two projects with a backlog get steps by their weights, also after a reload', async () => {
    await using harness = await openTwoProjects({ redis, a: { weight: 3 } });
    for (const caller of [harness.a, harness.b]) await flood(harness, (await caller.startTurn({ input })).id, 300);
    await harness.admit();

    const first = await endedAfter(2 * PLACES, harness);
    harness.bounds.a = { weight: 1 };
    await endedAfter(2 * PLACES, harness);
    const before = await endedAfter(0, harness);
    const last = await endedAfter(2 * PLACES, harness);

    expect(first.a / first.b).toBeCloseTo(3, 0);
    expect((last.a - before.a) / (last.b - before.b)).toBeCloseTo(1, 0);
  });

  test('hanging turns take three quarters of the slots, and other turns run', async () => {
    await using harness = await openTwoProjects({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const stuck = await Promise.all(Array.from({ length: 14 }, () => harness.a.startTurn({ input: hanging })));
    await waitUntil(() => expect(harness.modelRequests.length).toBeGreaterThanOrEqual(6));

    const { id } = await harness.b.startTurn({ input });
    const ended = await harness.b.untilEnded(id);

    expect(ended.status).toBe('completed');
    const statuses = await Promise.all(stuck.map(async (turn) => (await harness.a.findTurn(turn.id)).status));
    expect(statuses.filter((status) => status === 'in_progress')).toHaveLength(6);
    await Promise.all(stuck.map((turn) => harness.a.call('POST', `/v1/turns/${turn.id}/cancel`)));
  });

  test('a lost queue gets jobs only of turns with a slot', async () => {
    await using harness = await openTwoProjects({ redis });
    await flood(harness, (await harness.a.startTurn({ input })).id, 300);
    await harness.admit();

    await harness.advance(60_000);
    const rescued = await harness.rescue();

    expect(rescued).toBe(MOST);
  });

  test('a turn that waits for a slot is cancelled without a command to the queue', async () => {
    await using harness = await openTwoProjects({ redis, a: { maxActiveTurns: 1 } });
    const [working, waiting] = [await harness.a.startTurn({ input }), await harness.a.startTurn({ input })];
    await harness.admit();
    const jobs = await harness.countJobs();

    const { status } = await harness.a.call('POST', `/v1/turns/${waiting.id}/cancel`);

    expect([status, await harness.countJobs()]).toEqual([200, jobs]);
    await harness.workUntilIdle();
    const statuses = [working, waiting].map(async ({ id }) => (await harness.a.findTurn(id)).status);
    expect(await Promise.all(statuses)).toEqual(['completed', 'cancelled']);
  });

  test('a project never exceeds max_active_turns if turns start and end concurrently', async () => {
    await using harness = await openTwoProjects({ redis, a: { maxActiveTurns: 3 } });
    const peaks: number[] = [];
    const watch = async () => void peaks.push(await harness.slotsOf('a'));

    const turns = await Promise.all(Array.from({ length: 20 }, () => harness.a.startTurn({ input })));
    await Promise.all(Array.from({ length: 5 }, () => harness.admit()));
    await watch();
    for (let steps = 0; steps < 12; steps += 1) {
      await Promise.all([harness.workOnce(), harness.workOnce(), harness.workOnce(), harness.admit(), watch()]);
    }
    await harness.workUntilIdle();

    expect(Math.max(...peaks)).toBe(3);
    const ended = await Promise.all(turns.map(({ id }) => harness.a.findTurn(id)));
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['completed']));
  });
});
