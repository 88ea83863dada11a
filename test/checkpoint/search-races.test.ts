import type { QueryResult, UnknownRow } from 'kysely';
import { expect } from 'vitest';
import { findTurnIds } from '#core/checkpoint/search/find-turns.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { listTurns } from '#core/checkpoint/turns/reading/list.ts';
import { enterNow } from '#test/harness/enter-now.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

test.for([{ isEntered: false }, { isEntered: true }])(
  'a turn that ends during the search is found, %o',
  async ({ isEntered }, { harness }) => {
    for (const statuses of [undefined, ['queued', 'in_progress', 'completed']] as const) {
      for (const statements of [1, 2, 3, 4]) {
        const { id } = await harness.startTurn({ input: scripted({ answer: 'A pumpkin' }) });
        if (isEntered) await enterNow(harness);
        const db = after(harness.db, statements, () => harness.workUntilIdle());

        const ids = await findTurnIds(db, 'default', {
          q: 'pumpkin',
          ...(statuses && { statuses: [...statuses] }),
          limit: 9,
        });

        expect(ids.filter((each) => each === id)).toEqual([id]);
      }
    }
  },
);

test('a list continues if a turn of its page is deleted during the read', async ({ harness }) => {
  const turns = [];
  for (const input of ['pumpkin 1', 'pumpkin 2', 'pumpkin 3']) turns.push(await harness.startTurn({ input }));
  await harness.workUntilIdle();
  const [last, middle, first] = turns.map(({ id }) => id);
  await enterNow(harness);
  const ids = await statementsOf(harness.db, (db) => findTurnIds(db, 'default', { q: 'pumpkin', limit: 2 }));
  const db = after(harness.db, ids, () => harness.call('DELETE', `/v1/turns/${middle}`));

  const page = await listTurns(db, 'default', { q: 'pumpkin', limit: 1 });

  expect(page.rows.map(({ id }) => id)).toEqual([first]);
  expect(page.hasMore).toBe(true);
  expect(
    (await listTurns(harness.db, 'default', { q: 'pumpkin', limit: 1, before: String(first) })).rows,
  ).toMatchObject([{ id: last }]);
});

async function statementsOf(db: Db, search: (db: Db) => Promise<unknown>): Promise<number> {
  let count = 0;
  const transformResult = async ({ result }: { result: QueryResult<UnknownRow> }) => {
    count += 1;
    return result;
  };
  await search(db.withPlugin({ transformQuery: ({ node }) => node, transformResult }));
  return count;
}

/** Returns the database, with a single action after this number of statements. */
function after(db: Db, statements: number, happen: () => Promise<unknown>): Db {
  let count = 0;
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      count += 1;
      if (count === statements) await happen();
      return result;
    },
  });
}
