import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { rescueTurns } from '#core/checkpoint/rescue.ts';
import { createHarness } from '#test/harness/create-harness.ts';

test.each([
  ['not rescued before it is due, although its slot has begun', '+ 3.999999', 0],
  ['rescued once it is due, in the middle of its slot', '- 0.000001', 1],
])('a turn is %s', async (_, seconds, rescued) => {
  await using harness = await createHarness();
  await harness.startTurn({ input: 'Hi' });

  // In a transaction the database's clock does not move.
  const found = await harness.db.transaction().execute(async (trx) => {
    const base = rescued ? sql`now()` : sql`date_bin('4 seconds', now(), 'epoch')`;
    await sql`update work set due_at = ${base} ${sql.raw(seconds)} * interval '1 second'`.execute(trx);
    return await rescueTurns(trx, 10);
  });

  expect(found).toHaveLength(rescued);
});
