import postgres from 'postgres';
import { expect, test } from 'vitest';
import { openCountedPostgres } from '#test/counters/counted-postgres.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';

const LIMITS = JSON.stringify({ 'other/*': { requests_per_minute: 1, tokens_per_minute: 1, concurrency: 1 } });
const input = scripted({ rounds: [{ tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }] }] });

test('a turn with a model without limits makes no extra statement', async () => {
  await using counted = await openCountedPostgres();
  const play = async (env: Record<string, string>) => {
    await using harness = await createHarness({ env: { DATABASE_URL: counted.url, ...env } });
    const run = async () => {
      const { id } = await harness.startTurn({ input, tools: ['weather_lookup'] });
      while (await harness.workOnce());
      expect(await harness.findTurn(id)).toMatchObject({ status: 'completed' });
    };
    await run();
    await resetStatements(counted.url);
    await run();
    return await statementsOf(counted.url);
  };

  const without = await play({});
  const beside = await play({ PAWL_PROVIDER_LIMITS: LIMITS });

  expect(without.length).toBeGreaterThan(5);
  expect(beside).toEqual(without);
  expect(beside.filter(({ query }) => query.includes('provider_'))).toEqual([]);
});

async function resetStatements(url: string): Promise<void> {
  await inSession(url, (sql) => sql`select pg_stat_statements_reset()`);
}

/** Returns the statements about turns and their work, with the count of each. */
function statementsOf(url: string): Promise<{ query: string; calls: number }[]> {
  return inSession(url, async (sql) => [
    ...(await sql<{ query: string; calls: number }[]>`
      select query, calls::int from pg_stat_statements(true) join pg_database on pg_database.oid = dbid
      where datname = current_database() and query ~ 'turns|\\mwork\\M|rounds|provider_' and query !~ 'pg_stat_statements|jobs'
      order by query`),
  ]);
}

async function inSession<Found>(url: string, ask: (sql: postgres.Sql) => Promise<Found>): Promise<Found> {
  const sql = postgres(url, { max: 1 });
  try {
    return await ask(sql);
  } finally {
    await sql.end();
  }
}
