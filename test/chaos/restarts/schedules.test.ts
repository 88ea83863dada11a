import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { wrongClock } from '#test/harness/parts/wrong-clock.ts';
import { startProcess, type TestProcess } from '#test/harness/start-process.ts';
import { makeRandom } from '../random.ts';

/** `SCHEDULE_SECONDS=120` plays for longer. `SCHEDULE_SEED` repeats a play. */
const SECONDS = Number(process.env.SCHEDULE_SECONDS ?? 20);
const SEED = Number(process.env.SCHEDULE_SEED ?? 7);
const HOUR_MS = 3_600_000;

type Firing = { plannedAt: string; turnId: string | null };

test('each second of a schedule starts one turn while workers are killed', {
  timeout: (SECONDS + 120) * 1_000,
}, async () => {
  await using harness = await createHarness();
  const random = makeRandom(SEED);
  const seen = new Map<string, string | null>();
  const body = { every_seconds: 1, turn: { model: 'openai/test', input: 'Again.' } };
  const { body: schedule } = await harness.call<{ id: string; created_at: string }>('POST', '/v1/schedules', { body });
  const start = (index: number) =>
    startProcess('worker', { ...harness.env, ...(index === 0 ? wrongClock(HOUR_MS) : {}) });
  const workers = await Promise.all([start(0), start(1)]);

  let kills = 0;
  const until = performance.now() + SECONDS * 1_000;
  while (performance.now() < until) {
    await sleep(random.integer(500, 2_500));
    const index = random.integer(0, 1);
    await workers[index]?.kill('SIGKILL');
    kills += 1;
    workers[index] = await start(index);
    await note(harness, seen);
  }
  await harness.call('PATCH', `/v1/schedules/${schedule.id}`, { body: { enabled: false } });
  await note(harness, seen);
  const turns = await turnsOf(harness, schedule.id);
  for (const { id } of turns) await harness.untilEnded(id);
  await Promise.all(workers.map((worker: TestProcess) => worker.kill('SIGKILL')));

  const times = [...seen.keys()].map((at) => Date.parse(at)).sort((one, other) => one - other);
  const first = Date.parse(schedule.created_at) + 1_000;
  const createdAt = new Map(turns.map((turn) => [turn.id, Date.parse(turn.createdAt)]));
  const late = [...seen].map(([plannedAt, id]) => (createdAt.get(id ?? '') ?? 0) - Date.parse(plannedAt));
  const latest = Math.max(...late);
  console.log(
    `${times.length} planned times, ${turns.length} turns, ${kills} kills; the latest after ${latest} ms (seed ${SEED})`,
  );
  expect(times).toEqual(times.map((_, index) => first + index * 1_000));
  expect(times.length).toBeGreaterThanOrEqual(SECONDS - 1);
  expect([...seen.values()].sort()).toEqual(turns.map(({ id }) => id).sort());
});

/** Notes the firings, which are kept for twenty seconds, more often than that. */
async function note({ db }: Harness, seen: Map<string, string | null>): Promise<void> {
  const { rows } = await sql<Firing>`select planned_at::text as "plannedAt", turn_id as "turnId" from firings`.execute(
    db,
  );
  for (const { plannedAt, turnId } of rows) seen.set(plannedAt, turnId);
}

async function turnsOf({ db }: Harness, scheduleId: string): Promise<{ id: string; createdAt: string }[]> {
  const { rows } = await sql<{ id: string; createdAt: string }>`
    select id, created_at::text as "createdAt" from turns where schedule_id = ${scheduleId}`.execute(db);
  return rows;
}
