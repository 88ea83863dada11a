import { expect } from 'vitest';
import type { ScheduleResource } from '#core/turn/resource/schedule.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { fillSchedules } from '#test/harness/fill-schedules.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal, refusalOf } from '../refusals.ts';

const turn = { model: 'sim/demo', input: 'What is new?' };
const weekdays = { cron: '0 9 * * 1-5', time_zone: 'Europe/Zurich' };

test('a schedule is created once per key, read, listed, changed and deleted', async ({ harness }) => {
  const { call } = harness;
  const path = '/v1/schedules';
  const create = (body: object, key = 'one') =>
    call<ScheduleResource>('POST', path, { body, headers: { 'idempotency-key': key } });

  const made = await create({ ...weekdays, turn });
  const again = await create({ ...weekdays, turn });
  const hourly = await create({ every_seconds: 3_600, turn, enabled: false, if_missed: 'skip' }, 'two');
  const own = `${path}/${made.body.id}`;
  const page = await call<{ data: ScheduleResource[]; next_cursor: string }>('GET', `${path}?limit=1`);
  const rest = await call<{ data: ScheduleResource[] }>('GET', `${path}?cursor=${page.body.next_cursor}`);
  const changed = await call<ScheduleResource>('PATCH', own, { body: { time_zone: null, if_missed: 'skip' } });
  const counted = await call<ScheduleResource>('PATCH', own, { body: { every_seconds: 10 } });
  const enabled = await call<ScheduleResource>('PATCH', `${path}/${hourly.body.id}`, { body: { enabled: true } });
  const removed = await call('DELETE', own);
  const gone = await call('GET', own);

  expect([made.status, made.headers.get('location'), again.body.id]).toEqual([201, own, made.body.id]);
  expect(made.body).toEqual({
    ...{ id: expect.stringMatching(/^sched_/), object: 'schedule', ...weekdays, every_seconds: null, turn },
    ...{ conversation_id: null, enabled: true, if_missed: 'once', last: [], next: expect.any(Array) },
    created_at: expect.any(String),
  });
  expect(made.body.next).toHaveLength(5);
  expect(hourly.body).toMatchObject({ cron: null, time_zone: null, enabled: false, next: [] });
  expect([page.body.data[0]?.id, rest.body.data[0]?.id]).toEqual([hourly.body.id, made.body.id]);
  expect(changed.body).toMatchObject({ cron: weekdays.cron, time_zone: 'UTC', if_missed: 'skip', turn });
  expect(counted.body).toMatchObject({ cron: null, time_zone: null, every_seconds: 10 });
  expect(enabled.body.next[0]).toBe(new Date(Date.parse(hourly.body.created_at) + 3_600_000).toISOString());
  expect([removed.status, describeRefusal(gone)]).toEqual([204, '404 schedule_not_found: id']);
});

test('an invalid plan or turn of a schedule is refused with its path', async ({ harness }) => {
  const refused = (body: object) => refusalOf(harness, '/v1/schedules', { every_seconds: 60, turn, ...body });
  const cron = (expression: string, more = {}) => refused({ every_seconds: null, cron: expression, ...more });

  expect(await refused({ every_seconds: null })).toBe('400 missing_field: cron');
  expect(await refused({ cron: '0 9 * * *' })).toBe('400 invalid_value: every_seconds');
  expect(await refused({ every_seconds: 0 })).toBe('400 invalid_value: every_seconds');
  expect(await refused({ time_zone: 'UTC' })).toBe('400 invalid_value: time_zone');
  expect(await cron('0 9 * * 1-5', { time_zone: 'Mars/Olympus' })).toBe('400 invalid_value: time_zone');
  for (const expression of ['0 9 * *', '0 0 9 * * *', '@daily', '61 * * * *', '0 0 30 2 *', ''])
    expect(await cron(expression)).toBe('400 invalid_value: cron');
  expect(await refused({ turn: undefined })).toBe('400 missing_field: turn');
  expect(await refused({ turn: { model: 'sim/demo' } })).toBe('400 missing_field: turn.input');
  expect(await refused({ turn: { ...turn, delay_seconds: 5 } })).toBe('400 unknown_field: turn.delay_seconds');
  expect(await refused({ turn: { ...turn, tools: ['nope'] } })).toBe('400 unknown_tool: turn.tools[0]');
  expect(await refused({ turn: { input: 'Hi' } })).toBe('400 missing_field: turn.model');
  expect(
    await refused({ turn: { ...turn, input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] } }),
  ).toBe('400 invalid_value: turn.input[0].content[0].image_url');
  expect(await refused({ conversation_id: 'conv_01kagz8m4pfvbte2n5q7rys3wx' })).toBe(
    '404 conversation_not_found: conversation_id',
  );
});

test.each([
  ['0 25 * * *', 'The hour of `cron` cannot be "25"'],
  ['60 9 * * *', 'The minute of `cron` cannot be "60"'],
  ['0 9 0 * *', 'The day of the month of `cron` cannot be "0"'],
  ['0 9 * 13 *', 'The month of `cron` cannot be "13"'],
  ['0 9 * * 5-1', 'The day of the week of `cron` cannot be "5-1"'],
  ['0 9 * *', 'Give five fields'],
])('the refusal of the cron %s names the fault', async (cron, sentence) => {
  await using harness = await createHarness();

  const refused = await harness.call<{ error: { message: string } }>('POST', '/v1/schedules', { body: { cron, turn } });

  expect(refused.body.error.message).toContain(sentence);
});

test('a schedule is visible in its project only, and a read key cannot change it', async () => {
  const projects = { web: { keys: ['web', { key: 'reader', scopes: ['read'] }] }, other: { keys: ['other'] } };
  await using harness = await createHarness({ env: { PAWL_PROJECTS: JSON.stringify(projects) } });
  const as = (key: string) => apiClient(harness.url, key);
  const body = { every_seconds: 60, turn };

  const { body: made } = await as('web').call<ScheduleResource>('POST', '/v1/schedules', { body });
  const path = `/v1/schedules/${made.id}`;
  const others = [
    await as('other').call('GET', path),
    await as('other').call('PATCH', path, { body: { enabled: false } }),
    await as('other').call('DELETE', path),
    await as('reader').call('DELETE', path),
    await as('reader').call('POST', '/v1/schedules', { body }),
  ];
  const { body: list } = await as('other').call<{ data: unknown[] }>('GET', '/v1/schedules');

  expect(others.map(describeRefusal)).toEqual([
    ...Array.from({ length: 3 }, () => '404 schedule_not_found: id'),
    ...Array.from({ length: 2 }, () => '403 insufficient_scope: null'),
  ]);
  expect(list.data).toEqual([]);
  expect((await as('reader').call('GET', path)).status).toBe(200);
});

test('a project has at most 1,000 schedules, even with concurrent creates', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:a,beta:b' } });
  const [alpha, beta] = [apiClient(harness.url, 'a'), apiClient(harness.url, 'b')];
  const create = (client: typeof alpha) =>
    client.call<ScheduleResource>('POST', '/v1/schedules', { body: { ...weekdays, turn } });
  const { body: first } = await create(alpha);
  await fillSchedules(harness.db, first.id, 2);

  const together = await Promise.all(Array.from({ length: 5 }, () => create(alpha)));
  const others = await create(beta);
  await alpha.call('DELETE', `/v1/schedules/${first.id}`);
  const inItsPlace = await create(alpha);

  expect(together.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(describeRefusal(together.find(({ status }) => status !== 201)!)).toBe('409 too_many_schedules: null');
  expect([others.status, inItsPlace.status]).toEqual([201, 201]);
});
