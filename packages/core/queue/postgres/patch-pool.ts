import pg from 'pg';
import { type BatchEntry, batchConcurrent } from '../../postgres/batch.ts';
import { beginText } from '../../postgres/session.ts';

/**
 * Makes a pool run BullMQ's statements prepared, and together with concurrent statements
 * (docs/decisions/0019-patches.md).
 */
export function patchPool(pool: pg.Pool, { setLocal, prepares }: Sessions = OWN_SESSIONS): void {
  const query = pool.query.bind(pool);
  const run: Run = setLocal ? inTransactions(pool, setLocal) : query;
  const queryOfBullMq = batchStatements(prepares ? prepareStatements(run) : (text, values) => run({ text, values }));
  // The pool accepts nine forms of arguments. BullMQ passes a text and its values.
  const queryAny = (...args: unknown[]) => {
    const [text, values] = args;
    const isOfBullMq = args.length === 2 && typeof text === 'string' && Array.isArray(values);
    return isOfBullMq ? queryOfBullMq(text, values) : query(...(args as [never]));
  };
  pool.query = queryAny as pg.Pool['query'];
}

/**
 * The sessions of a pool. `setLocal` has the statements at the start of each transaction with a pooler, or null if
 * each session stays.
 */
type Sessions = { setLocal: string[] | null; prepares: boolean };

const OWN_SESSIONS: Sessions = { setLocal: null, prepares: true };

type Run = (statement: pg.QueryConfig) => Promise<pg.QueryResult>;

type Query = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

/**
 * The SQLSTATE after a change of a table or function since the statement was prepared. No part of the statement was
 * run.
 */
const HAS_CHANGED = '0A000';

/** Makes each connection parse and plan BullMQ's few texts once, since pg prepares statements that have a name. */
function prepareStatements(query: Run): Query {
  const names = new Map<string, string>();
  let named = 0;

  function nameOf(text: string): string {
    const known = names.get(text);
    if (known) return known;
    named += 1;
    const name = `bullmq-${named}`;
    names.set(text, name);
    return name;
  }
  /** If a migration has changed a statement's columns, connections that have prepared it take it under a new name. */
  return async (text, values) => {
    const name = nameOf(text);
    try {
      return await query({ name, text, values });
    } catch (error) {
      if ((error as { code?: unknown }).code !== HAS_CHANGED) throw error;
      if (names.get(text) === name) names.delete(text);
      return query({ name: nameOf(text), text, values });
    }
  };
}

/** Sends `begin`, the statement and `commit` at once. If any fails, closes the connection, as pg's pool does. */
function inTransactions(pool: pg.Pool, setLocal: string[]): Run {
  const begin = [beginText(), ...setLocal].join(';');
  return async (statement) => {
    const client = await pool.connect();
    const sent = [client.query(begin), client.query(statement), client.query('commit')] as const;
    const outcomes = await Promise.allSettled(sent);
    client.release(outcomes.some(({ status }) => status === 'rejected'));
    const [, answer] = await Promise.all(sent);
    return answer;
  };
}

type QueuedValues = BatchEntry<unknown[], pg.QueryResult>;

const MAX_BATCH = 32;

/**
 * The form of nearly all statements of BullMQ, which call its functions or read its tables. All others do not change.
 */
const SELECTS = /^(\s|--.*\n)*select\b/i;

/**
 * Merges concurrent statements with the same text: one round trip, commit and notification for many jobs. If
 * PostgreSQL refuses a merged statement, it has had no effect, and each of its statements runs alone.
 */
function batchStatements(query: Query): Query {
  const batches = new Map<string, (values: unknown[]) => Promise<pg.QueryResult>>();

  function open(text: string) {
    const texts = new Map<number, string>();
    const runAll = (lists: unknown[][]) => {
      const slots = slotsFor(lists.length);
      const parameters = lists[0]?.length ?? 0;
      const batch = texts.get(slots) ?? batchText(text, { slots, parameters });
      texts.set(slots, batch);
      const leftOver = new Array((slots - lists.length) * parameters).fill(null);
      return query(batch, [lists.length, ...lists.flat(), ...leftOver]);
    };
    const runOne = (values: unknown[]) => query(text, values);
    const run = batchConcurrent<unknown[], pg.QueryResult>((group) => runGroup(group, { runAll, runOne }), MAX_BATCH);
    batches.set(text, run);
    return run;
  }
  return (text, values) => (SELECTS.test(text) ? (batches.get(text) ?? open(text))(values) : query(text, values));
}

type Runners = {
  runAll(lists: unknown[][]): Promise<pg.QueryResult>;
  runOne(values: unknown[]): Promise<pg.QueryResult>;
};

async function runGroup(group: QueuedValues[], { runAll, runOne }: Runners): Promise<void> {
  if (group.length === 1) return runEach(group, runOne);
  try {
    distributeRows(group, await runAll(group.map(({ statement }) => statement)));
  } catch (error) {
    // Only an error of PostgreSQL shows that the statement had no effect.
    if (!(error instanceof pg.DatabaseError)) throw error;
    return runEach(group, runOne);
  }
}

async function runEach(group: QueuedValues[], runOne: Runners['runOne']): Promise<void> {
  await Promise.all(group.map(({ statement, resolve, reject }) => runOne(statement).then(resolve, reject)));
}

/**
 * The lock timeout of merged statements. They keep their locks until all are done, and could deadlock with the
 * renewal of locks. So they give up soon, and each runs alone. The commit waits without this limit.
 */
const LOCK_TIMEOUT = {
  start: "where (select set_config('lock_timeout', '50ms', true)) is not null",
  end: "where (select set_config('lock_timeout', '0', true)) is null",
};

/**
 * Returns the number of slots, a power of two, since each connection prepares a text for each number. Unused slots
 * are not run.
 */
function slotsFor(statements: number): number {
  return 2 ** Math.ceil(Math.log2(statements));
}

/**
 * Returns the statement once for each slot, in order. `$1` is the number of slots to run, and `slot` names the slot
 * of each row. The last part never runs.
 */
function batchText(text: string, { slots, parameters }: { slots: number; parameters: number }): string {
  const bare = text.replaceAll(/--.*$/gm, '').replace(/;\s*$/, '');
  const parts = Array.from({ length: slots }, (_, slot) => {
    const shift = 1 + slot * parameters;
    const part = bare.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + shift}`);
    return `select ${slot} as slot, one.* from (${part}) as one`;
  });
  const [first, ...others] = parts;
  const guarded = others.map((part, index) => `${part} where $1::int > ${index + 1}`);
  const all = [`${first} ${LOCK_TIMEOUT.start}`, ...guarded, `${first} ${LOCK_TIMEOUT.end}`];
  return all.join('\nunion all ');
}

function distributeRows(group: QueuedValues[], { rows, ...result }: pg.QueryResult): void {
  const rowsOf: pg.QueryResultRow[][] = group.map(() => []);
  for (const { slot, ...row } of rows) rowsOf[slot]?.push(row);
  for (const [slot, own] of rowsOf.entries()) {
    group[slot]?.resolve({ ...result, rows: own, rowCount: own.length });
  }
}
