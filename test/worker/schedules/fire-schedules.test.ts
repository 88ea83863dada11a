import { sql } from 'kysely';
import { expect } from 'vitest';
import { listDueSchedules } from '#core/checkpoint/schedules/firings.ts';
import type { ScheduleResource } from '#core/turn/resource/schedule.ts';
import { fireSchedule } from '#services/worker/schedules/fire-schedule.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';

const turn = { model: 'openai/test', input: 'What is new?' };

async function schedule(harness: Pick<Harness, 'call'>, fields: object): Promise<ScheduleResource> {
  const { status, body } = await harness.call<ScheduleResource>('POST', '/v1/schedules', { body: { turn, ...fields } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

const read = async ({ call }: Pick<Harness, 'call'>, id: string) =>
  (await call<ScheduleResource>('GET', `/v1/schedules/${id}`)).body;

/** Fires the planned times of a schedule up to its creation, which is the current time. */
async function fireUntilCreated(
  { db, worker }: Harness,
  { id, created_at: now }: Pick<ScheduleResource, 'id' | 'created_at'>,
): Promise<void> {
  const findDue = async () => (await listDueSchedules(db, 10)).find((one) => one.id === id);
  for (let due = await findDue(); due && Date.parse(due.nextAt) <= Date.parse(now); due = await findDue())
    await fireSchedule({ ...due, now }, worker);
}

const errorsOf = ({ last }: ScheduleResource) => last.map(({ error }) => error?.code ?? null);

test('each planned time starts one turn, with any number of workers', async ({ harness }) => {
  const { id, next } = await schedule(harness, { every_seconds: 60 });

  for (let minute = 1; minute <= 2; minute += 1) {
    await harness.advance(60_000);
    await Promise.all(Array.from({ length: 4 }, () => harness.fireSchedules()));
    await harness.workUntilIdle();
  }

  const { last } = await read(harness, id);
  const turns = await Promise.all(last.map(({ turn_id }) => harness.findTurn(turn_id!)));
  expect(next).toHaveLength(5);
  expect(last.map(({ error }) => error)).toEqual([null, null]);
  expect(last.map(({ turn_status }) => turn_status)).toEqual(['completed', 'completed']);
  expect(turns).toMatchObject([
    { status: 'completed', schedule_id: id },
    { schedule_id: id, start_at: null },
  ]);
  expect(new Set(turns.map(({ conversation_id }) => conversation_id)).size).toBe(2);
  expect(harness.modelRequests).toHaveLength(2);
});

test('a schedule fires once or never for missed times, and for each slightly late time', async ({ harness }) => {
  const once = await schedule(harness, { every_seconds: 4 });
  const skip = await schedule(harness, { every_seconds: 4, if_missed: 'skip' });

  await harness.advance(40_000);
  for (const one of [once, skip]) await fireUntilCreated(harness, one);

  // 12 s to 40 s late is missed. 0, 4 and 8 s late is not.
  expect((await read(harness, once.id)).last).toHaveLength(4);
  expect((await read(harness, skip.id)).last).toHaveLength(3);
});

test('a planned time without a turn records the reason, and the next time is tried', async () => {
  await using harness = await createHarness({
    env: { PAWL_PROJECTS: JSON.stringify({ web: { keys: ['key'], max_queued_turns: 2 } }) },
  });
  const call: Harness['call'] = (method, path, { body, headers } = {}) =>
    harness.call(method, path, { body, headers: { authorization: 'Bearer key', ...headers } });
  const { body: conversation } = await call<{ id: string }>('POST', '/v1/conversations', {
    body: { model: 'openai/test' },
  });
  const fields = { every_seconds: 60, conversation_id: conversation.id };
  const busy = await schedule({ call }, { ...fields, turn: { input: 'Hi', on_active_turn: 'reject' } });

  const fire = async () => {
    await harness.advance(60_000);
    await harness.fireSchedules();
  };
  await fire();
  await fire();
  const many = await schedule({ call }, { ...fields, turn: { input: 'Hi' } });
  await fire();
  await fire();
  await harness.workUntilIdle();
  await harness.admit();
  await harness.workUntilIdle();
  await call('DELETE', `/v1/conversations/${conversation.id}`);
  await fire();

  expect(errorsOf(await read({ call }, busy.id))).toEqual([
    ...['conversation_not_found', 'conversation_busy', 'conversation_busy', 'conversation_busy', null],
  ]);
  expect(errorsOf(await read({ call }, many.id))).toEqual(['conversation_not_found', 'quota_exceeded', null]);
});

test('a schedule changed, disabled or deleted after a worker read it is not fired', async ({ harness }) => {
  const made = await Promise.all([1, 2, 3, 4].map(() => schedule(harness, { every_seconds: 60 })));
  const [changed, disabled, deleted, left] = made.map(({ id }) => `/v1/schedules/${id}`);

  await harness.advance(60_000);
  const due = await listDueSchedules(harness.db, 10);
  await harness.call('PATCH', changed!, { body: { every_seconds: 90 } });
  await harness.call('PATCH', disabled!, { body: { enabled: false } });
  await harness.call('DELETE', deleted!);
  await harness.call('PATCH', left!, { body: { turn: { ...turn, input: 'Something else' } } });
  for (const one of due) await fireSchedule(one, harness.worker);
  const before = await Promise.all(
    [changed, disabled, left].map(async (path) => (await harness.call('GET', path!)).body),
  );
  await harness.fireSchedules();
  await harness.workUntilIdle();

  expect(due).toHaveLength(4);
  expect(before).toMatchObject([
    { every_seconds: 90, last: [], enabled: true },
    { last: [], enabled: false, next: [] },
    { last: [] },
  ]);
  expect(harness.modelRequests.map(({ body }) => body.messages.at(-1)?.content)).toEqual(['Something else']);
});

test('a repeated planned time after the clock was set back starts and blocks no turn', async ({ harness }) => {
  const { id } = await schedule(harness, { every_seconds: 60 });
  await harness.advance(60_000);
  const [due] = await listDueSchedules(harness.db, 1);
  await harness.fireSchedules();

  await sql`update schedules set next_at = ${due!.nextAt} where id = ${id}`.execute(harness.db);
  await harness.fireSchedules();

  const { last, next } = await read(harness, id);
  expect(last.map(({ error }) => error)).toEqual([null]);
  expect(Date.parse(next[0]!)).toBe(Date.parse(due!.nextAt) + 60_000);
  expect(await listDueSchedules(harness.db, 1)).toEqual([]);
});

test('the last twenty firings are kept, newest first', async ({ harness }) => {
  const { id, created_at } = await schedule(harness, { every_seconds: 1 });

  for (let times = 1; times <= 2; times += 1) {
    await harness.advance(30_000);
    await fireUntilCreated(harness, { id, created_at });
  }

  const { last } = await read(harness, id);
  const times = last.map(({ planned_at }) => Date.parse(planned_at));
  expect(last).toHaveLength(20);
  expect(times.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, index) => times[0]! - index * 1_000));
});
