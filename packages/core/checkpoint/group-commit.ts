import { setImmediate as nextTick } from 'node:timers/promises';
import { mergeStatements } from './merge-statements.ts';
import type { Rows, Statement } from './open-connection.ts';
import type { OwnConnection, Pool } from './open-pool.ts';

/** Runs a statement that is a transaction by itself; it answers once that is committed. */
export type Commit = (statement: Statement) => Promise<Rows>;

type Waiting = Statement & { resolve(rows: Rows): void; reject(error: unknown): void };

/** Transactions under way at once: one on its way to the disk while the next is written. */
const FLUSHES = 1;

/** One that takes longer waits for somebody's lock, and the others do not wait for it. */
const PATIENCE_MS = 50;

/** Statements of one transaction at most, so that none waits long for the others. */
const MOST = 64;

/**
 * Statements that are ready at the same moment are committed in one transaction: one flush to the disk, and one write to
 * the wire, for all of them. Each is guarded on its own, so a guard that fails drops only its own; when one breaks, the
 * transaction has come to nothing and each is tried alone. Nothing waits for company: whoever comes alone goes alone.
 */
export function groupCommit(take: Pool['take']): Commit {
  const waiting: Waiting[] = [];
  let flushes = 0;

  async function flush(): Promise<void> {
    flushes += 1;
    await nextTick();
    const leave = once(() => {
      flushes -= 1;
      if (waiting.length > 0 && flushes < FLUSHES) void flush();
    });
    const patience = setTimeout(leave, PATIENCE_MS);
    const group = waiting.splice(0, MOST);
    if (group.length > 0) await commit(take, group).catch((error: unknown) => rejectAll(group, error));
    clearTimeout(patience);
    leave();
  }
  return (statement) =>
    new Promise((resolve, reject) => {
      waiting.push({ ...statement, resolve, reject });
      if (flushes < FLUSHES) void flush();
    });
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

function rejectAll(group: Waiting[], error: unknown): void {
  for (const { reject } of group) reject(error);
}

/** Tells each statement its own answer. */
async function commit(take: Pool['take'], group: Waiting[]): Promise<void> {
  const connection = await take();
  try {
    if (group.length > 1) {
      const outcome = await together(connection, group).catch((error: unknown) => ({
        kind: 'unknown' as const,
        error,
      }));
      if (outcome.kind === 'unknown') rejectAll(group, outcome.error);
      if (outcome.kind === 'committed')
        for (const [place, rows] of outcome.answers.entries()) group[place]?.resolve(rows);
      if (outcome.kind !== 'undone') return;
    }
    for (const each of group) await connection.run(each).then(each.resolve, each.reject);
  } finally {
    connection.release();
  }
}

type Outcome = { kind: 'committed'; answers: Rows[] } | { kind: 'undone' };

/** Throws when nobody knows whether the transaction was committed. */
async function together({ run }: OwnConnection, group: Statement[]): Promise<Outcome> {
  // All of it is on its way at once. Where a statement broke, Postgres takes the last word for a rollback.
  const merged = mergeStatements(group);
  const sent = [{ text: 'begin' }, ...merged.map(({ statement }) => statement), { text: 'commit' }].map(run);
  const outcomes = (await Promise.allSettled(sent)).slice(1, -1);
  await Promise.all([sent.at(0), sent.at(-1)]);
  const answers: Rows[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected') return { kind: 'undone' };
    const { places = [], answers: dealOut } = merged[index] ?? {};
    const dealt = dealOut?.(outcome.value) ?? [];
    for (const [nth, place] of places.entries()) answers[place] = dealt[nth] as Rows;
  }
  return { kind: 'committed', answers };
}
