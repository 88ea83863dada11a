import { type BatchEntry, batchConcurrent } from './batch.ts';
import type { Rows, Statement } from './connection.ts';
import { type MergedStatement, mergeStatements, rowSetOf } from './merge.ts';
import type { Pool } from './pool.ts';

/** The maximum of statements in a merged statement, so that no statement waits long for the others. */
const MAX_BATCH = 64;

/** Merges concurrent reads that differ only in their rows. A read without a `RowSet` runs alone. */
export function groupReads(run: Pool['run']): Pool['run'] {
  const readWithOthers = batchConcurrent<Statement, Rows>(async (group) => {
    const merged = mergeStatements(group.map(({ statement }) => statement));
    await Promise.all(merged.map((each) => readMerged(group, each, run)));
  }, MAX_BATCH);
  return (statement) => (rowSetOf(statement) ? readWithOthers(statement) : run(statement));
}

/** Runs a merged read. If it breaks, runs each of its statements alone. */
async function readMerged(
  group: BatchEntry<Statement, Rows>[],
  { statement, indexes, distribute }: MergedStatement,
  run: Pool['run'],
): Promise<void> {
  const entries = group.filter((_, index) => indexes.includes(index));
  try {
    const answers = distribute(await run(statement));
    for (const [nth, { resolve }] of entries.entries()) resolve(answers[nth] as Rows);
  } catch (error) {
    if (entries.length === 1) return entries[0]?.reject(error);
    await Promise.all(entries.map((entry) => run(entry.statement).then(entry.resolve, entry.reject)));
  }
}
