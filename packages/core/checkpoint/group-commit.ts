import { type Asked, gatherStatements } from '../gather-statements.ts';
import { mergeStatements } from './merge-statements.ts';
import type { Rows, Statement } from './open-connection.ts';
import type { OwnConnection, Pool } from './open-pool.ts';

/** Runs a statement that is a transaction by itself; it answers once that is committed. */
export type Commit = (statement: Statement) => Promise<Rows>;

type Waiting = Asked<Statement, Rows>;

/** How long the statements of a group wait for a lock; whichever waits longer waits on alone. */
const LOCK_PATIENCE_MS = 250;

/** Statements of one transaction at most, so that none waits long for the others. */
const MOST = 64;

/**
 * Statements that are ready at the same moment, or come while others are on their way to the disk, are committed in one
 * transaction: one flush and one write to the wire for all of them, and one statement for those that ask the same for a
 * turn each. Each is guarded on its own, so a guard that fails drops only its own; when one breaks, the transaction has
 * come to nothing, that one is tried alone and the others together.
 */
export function groupCommit(take: Pool['take']): Commit {
  return gatherStatements((group) => commit(take, group), MOST);
}

/** Commits a group and tells each statement its own answer. */
async function commit(take: Pool['take'], group: Waiting[]): Promise<void> {
  const [only] = group;
  if (group.length < 2) return only && commitAlone(take, only);
  const outcome = await together(
    take,
    group.map(({ statement }) => statement),
  );
  if (outcome.kind === 'unknown') return rejectAll(group, outcome.error);

  const { isCommitted, broken, answers } = outcome;
  const alone = group.filter((_, place) => broken.has(place));
  const rest = group.filter((_, place) => !broken.has(place));
  const kept = answers.filter((_, place) => !broken.has(place));
  if (isCommitted) resolveAll(rest, kept);
  await Promise.all([...alone.map((each) => commitAlone(take, each)), isCommitted || commit(take, rest)]);
}

function rejectAll(group: Waiting[], error: unknown): void {
  for (const { reject } of group) reject(error);
}

function resolveAll(group: Waiting[], answers: Rows[]): void {
  for (const [place, { resolve }] of group.entries()) resolve(answers[place] as Rows);
}

async function commitAlone(take: Pool['take'], each: Waiting): Promise<void> {
  try {
    const connection = await take();
    await connection.run(each.statement).then(each.resolve).finally(connection.release);
  } catch (error) {
    each.reject(error);
  }
}

/** `unknown`: nobody can tell whether it was committed. Those at the places `broken` were not, and are to be tried alone. */
type Outcome =
  | { kind: 'known'; isCommitted: boolean; broken: Set<number>; answers: Rows[] }
  | { kind: 'unknown'; error: unknown };

async function together(take: Pool['take'], group: Statement[]): Promise<Outcome> {
  try {
    const connection = await take();
    return await runTogether(connection, group).finally(connection.release);
  } catch (error) {
    return { kind: 'unknown', error };
  }
}

/** All of it is on its way at once. Where a statement broke, Postgres takes the last word for a rollback, and says so. */
async function runTogether({ run }: OwnConnection, group: Statement[]): Promise<Outcome> {
  const merged = mergeStatements(group);
  const frame = [{ text: 'begin' }, { text: `set local lock_timeout = ${LOCK_PATIENCE_MS}` }];
  const sent = [...frame, ...merged.map(({ statement }) => statement), { text: 'commit' }].map(run);
  const outcomes = (await Promise.allSettled(sent)).slice(frame.length, -1);
  const [last] = await Promise.all([sent.at(-1), ...sent.slice(0, frame.length)]);

  const isCommitted = last?.command === 'COMMIT';
  const answers: Rows[] = [];
  const broken = new Set<number>();
  for (const [index, { places, dealOut }] of merged.entries()) {
    const outcome = outcomes[index];
    const dealt = outcome?.status === 'fulfilled' ? dealOut(outcome.value) : [];
    for (const [nth, place] of places.entries()) answers[place] = dealt[nth] as Rows;
    if (isBroken(outcome)) for (const place of places) broken.add(place);
  }
  // postgres.js tries some broken statements again by itself, behind the end of the transaction.
  const isSelfMended = !isCommitted && broken.size === 0;
  return { kind: 'known', isCommitted, answers, broken: isSelfMended ? new Set(group.keys()) : broken };
}

/** Postgres runs nothing behind a statement that broke. */
const NOT_RUN = '25P02';

function isBroken(outcome: PromiseSettledResult<Rows> | undefined): boolean {
  return outcome?.status === 'rejected' && outcome.reason?.code !== NOT_RUN;
}
