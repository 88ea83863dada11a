import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeRetention } from '#services/worker/routines/retention.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { dumpTables } from '#test/harness/stores/dump-tables.ts';

const MARK = 'purple';
const PAWL_PRICES = JSON.stringify({ 'openai/*': { input: 1, output: 10 } });

test('usage keeps its figures when turns are deleted alone, in bulk or by age', async () => {
  await using harness = await createHarness({ env: { PAWL_PRICES } });
  const start = (metadata: Record<string, string>) => {
    const usage = { prompt_tokens: 200, completion_tokens: 20 };
    return harness.startTurn({ input: scripted({ answer: MARK, final: { usage } }), metadata });
  };
  const [alone, whole] = [await start({}), await start({})];
  for (const _ of [1, 2]) await start({ of: 'bulk' });
  await start({ of: 'age' });
  await harness.workUntilIdle();
  const usage = async () => (await harness.call('GET', '/v1/usage?group_by=day,project,model')).body.data;
  const before = await usage();

  await harness.call('DELETE', `/v1/turns/${alone.id}`);
  const seen = [await usage()];
  await harness.call('DELETE', `/v1/conversations/${whole.conversation_id}`);
  seen.push(await usage());
  await harness.call('POST', '/v1/bulk', { body: { action: 'delete', filter: { metadata: { of: 'bulk' } } } });
  await harness.workBulks();
  seen.push(await usage());
  await sql`update turns set completed_at = completed_at - interval '8 days'`.execute(harness.db);
  await makeRetention({ ...harness.worker, retention: { days: 7, sweepMs: 10 } }).sweep();
  seen.push(await usage());

  const figures = { turns: 5, rounds: 5, input_tokens: 1_000, output_tokens: 100, cost_usd: 0.002 };
  expect(before).toEqual([expect.objectContaining({ project: 'default', model: 'openai/test', ...figures })]);
  expect(seen).toEqual([before, before, before, before]);
  const { rows } = await sql`select from turns`.execute(harness.db);
  expect(rows).toEqual([]);
  expect(await dumpTables(harness.db)).not.toContain(MARK);
});
