import { type Asked, gatherStatements } from '../gather-statements.ts';
import { type Merged, mergeStatements, rowSetOf } from './merge-statements.ts';
import type { Rows, Statement } from './open-connection.ts';
import type { Pool } from './open-pool.ts';

/** Turns of one statement at most, so that none waits long for the others. */
const MOST = 64;

/**
 * Statements that read the same of a turn each, and are asked at the same moment or while such are under way, are one:
 * whoever polls shares the way to Postgres with all who poll. What reads something else goes its own way.
 */
export function groupReads(run: Pool['run']): Pool['run'] {
  const readWithOthers = gatherStatements<Statement, Rows>(async (group) => {
    const merged = mergeStatements(group.map(({ statement }) => statement));
    await Promise.all(merged.map((each) => read(group, each, run)));
  }, MOST);
  return (statement) => (rowSetOf(statement) ? readWithOthers(statement) : run(statement));
}

async function read(
  group: Asked<Statement, Rows>[],
  { statement, places, dealOut }: Merged,
  run: Pool['run'],
): Promise<void> {
  const asked = group.filter((_, place) => places.includes(place));
  try {
    const answers = dealOut(await run(statement));
    for (const [nth, { resolve }] of asked.entries()) resolve(answers[nth] as Rows);
  } catch (error) {
    if (asked.length === 1) return asked[0]?.reject(error);
    await Promise.all(asked.map((each) => run(each.statement).then(each.resolve, each.reject)));
  }
}
