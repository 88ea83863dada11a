import { type BatchEntry, batchConcurrent, rejectAll } from './batch.ts';
import type { Rows, Statement } from './connection.ts';
import { mergeStatements } from './merge.ts';
import { type ExclusiveConnection, type Pool, runAlone } from './pool.ts';

/** A runner of statements that are their own transactions. It resolves after the commit. */
export type Commit = (statement: Statement) => Promise<Rows>;

type Entry = BatchEntry<Statement, Rows>;

/** A group waits this long for a lock, in milliseconds. A slower statement waits again, alone. */
const SETTINGS = { lock_timeout: '250' };

/** The maximum of statements in a transaction, so that no statement waits long for the others. */
const MAX_BATCH = 64;

/**
 * Commits concurrent statements in one transaction, with one flush. Merges statements that differ only in rows. If a
 * statement breaks, PostgreSQL rolls the group back. The broken statement is tried alone, and the others together
 * again.
 */
export function groupCommit(take: Pool['take']): Commit {
  return batchConcurrent((group) => commit(take, group), MAX_BATCH);
}

/** Commits a group. Rejects if the connection is lost, since the outcome is then unknown. */
async function commit(take: Pool['take'], group: Entry[]): Promise<void> {
  const [only] = group;
  if (group.length < 2) return only && commitAlone(take, only);
  const statements = group.map(({ statement }) => statement);
  const connection = await take();
  const outcome = await runTransaction(connection, statements).finally(connection.release);
  const { isCommitted, broken, answers } = outcome;
  const alone = group.filter((_, index) => broken.has(index));
  const rest = group.filter((_, index) => !broken.has(index));
  const kept = answers.filter((_, index) => !broken.has(index));
  if (isCommitted) resolveAll(rest, kept);
  const restCommitted = isCommitted || commit(take, rest).catch((error: unknown) => rejectAll(rest, error));
  await Promise.all([...alone.map((entry) => commitAlone(take, entry)), restCommitted]);
}

function resolveAll(group: Entry[], answers: Rows[]): void {
  for (const [index, { resolve }] of group.entries()) resolve(answers[index] as Rows);
}

function commitAlone(take: Pool['take'], { statement, resolve, reject }: Entry): Promise<void> {
  return runAlone(take, statement).then(resolve, reject);
}

/** The outcome of a transaction. The statements at the indexes in `broken` have to be tried alone. */
type Outcome = { isCommitted: boolean; broken: Set<number>; answers: Rows[] };

/** Sends the whole transaction at once. If a statement breaks, PostgreSQL answers the `commit` with a rollback. */
async function runTransaction({ run, begin }: ExclusiveConnection, group: Statement[]): Promise<Outcome> {
  const merged = mergeStatements(group);
  const begun = begin({ settings: SETTINGS });
  const sent = merged.map(({ statement }) => run(statement));
  const committed = run({ text: 'commit' });
  const [, , ...outcomes] = await Promise.allSettled([begun, committed, ...sent]);
  const [last] = await Promise.all([committed, begun]);

  const isCommitted = last?.command === 'COMMIT';
  const answers: Rows[] = [];
  const broken = new Set<number>();
  for (const [nth, { indexes, distribute }] of merged.entries()) {
    const outcome = outcomes[nth];
    const distributed = outcome?.status === 'fulfilled' ? distribute(outcome.value) : [];
    for (const [position, index] of indexes.entries()) answers[index] = distributed[position] as Rows;
    if (isBroken(outcome)) for (const index of indexes) broken.add(index);
  }
  // postgres.js retries some broken statements itself, after the end of the transaction.
  const isRetried = !isCommitted && broken.size === 0;
  return { isCommitted, answers, broken: isRetried ? new Set(group.keys()) : broken };
}

/** The code of each statement after a broken statement: PostgreSQL does not run it. */
const NOT_RUN = '25P02';

function isBroken(outcome: PromiseSettledResult<Rows> | undefined): boolean {
  return outcome?.status === 'rejected' && outcome.reason?.code !== NOT_RUN;
}
