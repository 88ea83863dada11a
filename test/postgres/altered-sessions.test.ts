import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { runStatement } from '#test/harness/stores/run-statement.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

/** Settings of a database that a session of Pawl replaces. Each differs from PostgreSQL's default. */
const ALTERED = [
  `datestyle = 'SQL, DMY'`,
  `datestyle = 'German'`,
  `intervalstyle = 'iso_8601'`,
  `timezone = 'Australia/Lord_Howe'`,
  `bytea_output = 'escape'`,
  `extra_float_digits = '0'`,
  `standard_conforming_strings = 'off'`,
  `search_path = 'pg_catalog'`,
  `default_transaction_isolation = 'serializable'`,
  `idle_session_timeout = '100'`,
];

test.each(ALTERED)('a turn runs and is read in a database with %s', async (setting) => {
  const url = await createTestDatabase();
  await runStatement(url, `alter database "${new URL(url).pathname.slice(1)}" set ${setting}`);
  await using harness = await createHarness({ env: { DATABASE_URL: url } });

  const { id } = await harness.startTurn({
    input: scripted({
      rounds: [{ tools: [{ name: 'weather_lookup', arguments: { city: 'Graz' } }] }],
      answer: 'Sunny \\ warm.',
    }),
    tools: ['weather_lookup'],
  });
  await harness.workUntilIdle();
  const turn = await harness.findTurn(id);
  const listed = await harness.call<{ data: unknown[] }>('GET', '/v1/turns?created_after=2020-01-01T00:00:00Z');

  expect(turn).toMatchObject({ status: 'completed', output: 'Sunny \\ warm.' });
  expect(turn.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(listed).toMatchObject({ status: 200, body: { data: [{ id }] } });
});
