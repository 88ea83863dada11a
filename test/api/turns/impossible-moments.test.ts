import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

/** Times with a four-digit year as written, but a year outside of 0001 to 9999 in UTC. */
const IMPOSSIBLE = ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'];
const LISTS = ['/v1/turns', '/v1/conversations', '/v1/statistics/turns'];
const FIELDS = ['created_after', 'created_before'];

const queries = LISTS.flatMap((path) =>
  FIELDS.flatMap((field) => IMPOSSIBLE.map((moment) => [path, field, moment] as const)),
);

test.each(queries)('%s refuses %s=%s with the range', async (path, field, moment) => {
  const { status, body } = await harness.call('GET', `${path}?${field}=${encodeURIComponent(moment)}`);

  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { param: field, message: expect.stringContaining('from the year 0001') } });
});

test.each(IMPOSSIBLE.flatMap((moment) => [true, false].map((dryRun) => [moment, dryRun] as const)))(
  'a bulk of turns created after %s, dry_run %s, is refused with the range',
  async (moment, dryRun) => {
    const request = { action: 'cancel', filter: { created_after: moment }, dry_run: dryRun };

    const { status, body } = await harness.call('POST', '/v1/bulk', { body: request });

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { param: 'filter.created_after' } });
  },
);

test.each(IMPOSSIBLE)('usage from %s is refused with the range', async (moment) => {
  const { status, body } = await harness.call('GET', `/v1/usage?from=${encodeURIComponent(moment)}`);

  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { param: 'from', message: expect.stringContaining('from the year 0001') } });
});

test('the first and the last moment of the range are accepted', async () => {
  const first = await harness.call('GET', '/v1/turns?created_after=0001-01-01T00:00:00Z');
  const last = await harness.call('GET', '/v1/turns?created_before=9999-12-31T23:59:59.999Z');

  expect([first.status, last.status]).toEqual([200, 200]);
});
