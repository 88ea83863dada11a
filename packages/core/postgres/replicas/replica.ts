import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlledTransaction, Kysely } from 'kysely';
import { openConnection } from '../connection.ts';
import { pooledDialect } from '../dialect.ts';
import { openPool } from '../pool.ts';
import { type Position, standingAt } from './position.ts';

/** A server that may read for the primary, and is left out while it cannot. */
export type Replica<Tables> = {
  /** Whether reads should be tried here. One that is left out is asked again now and then, beside the reads. */
  isUsable(): boolean;
  /** A transaction in which each statement sees all that is committed at a position; null where it cannot be had soon. */
  enter(position: Position): Promise<ControlledTransaction<Tables> | null>;
  /** Ends such a transaction; a failure of the server in it has the server left out. */
  leave(transaction: ControlledTransaction<Tables>, failure?: unknown): void;
  close(): Promise<void>;
};

/** Learns why a replica is left out, in words that follow its name; null when it reads. Told when that changes. */
export type ReportReplica = (name: string, trouble: string | null) => void;

type Options = { name: string; url: string; askPosition(): Promise<Position>; report: ReportReplica };

const CONNECTIONS = 10;
const RETRY_AFTER_MS = 2_000;

/** Opens a replica. It is used once it has been asked whether it is one. */
export function openReplica<Tables>({ name, url, askPosition, report }: Options): Replica<Tables> {
  const pool = openPool((closed) => openConnection(url, closed), { shared: 0, own: CONNECTIONS });
  const db = new Kysely<Tables>({ dialect: pooledDialect(pool) });
  let trouble: string | null = 'was not asked yet';
  let retryAt = Number.POSITIVE_INFINITY;

  function change(to: string | null): void {
    retryAt = performance.now() + RETRY_AFTER_MS;
    if (trouble === to) return;
    trouble = to;
    report(name, to);
  }
  async function enter(position: Position): Promise<ControlledTransaction<Tables> | null> {
    try {
      return await enterInTime(db, position);
    } catch (error) {
      change(troubleOf(error));
      return null;
    }
  }
  async function askAgain(): Promise<void> {
    retryAt = Number.POSITIVE_INFINITY;
    const position = await askPosition().catch(() => null);
    const transaction = position && (await enter(position));
    if (transaction) end(transaction);
    if (transaction) change(null);
    retryAt = performance.now() + RETRY_AFTER_MS;
  }
  void askAgain();
  return {
    isUsable: () => {
      if (trouble !== null && performance.now() >= retryAt) void askAgain();
      return trouble === null;
    },
    enter,
    leave: (transaction, failure) => {
      end(transaction);
      if (failure !== undefined) change(troubleOf(failure));
    },
    close: pool.close,
  };
}

/** What a server that takes longer costs a read, before the primary does it. */
const ENTER_TIMEOUT_MS = 1_000;

async function enterInTime<Tables>(db: Kysely<Tables>, position: Position): Promise<ControlledTransaction<Tables>> {
  const entering = enterAt(db, position);
  const timeout = new AbortController();
  const late = sleep(ENTER_TIMEOUT_MS, null, { signal: timeout.signal }).catch(() => null);
  const transaction = await Promise.race([entering, late]).finally(() => timeout.abort());
  if (transaction) return transaction;
  entering.then(end, () => {});
  throw new ReplicaUnfit('does not answer in time');
}

async function enterAt<Tables>(db: Kysely<Tables>, position: Position): Promise<ControlledTransaction<Tables>> {
  const transaction = await db.startTransaction().execute();
  try {
    await untilReached(transaction, position);
    return transaction;
  } catch (error) {
    end(transaction);
    throw error;
  }
}

/** What is on its way arrives within a few milliseconds; 127 in all. */
const PAUSES_MS = [1, 2, 4, 8, 16, 32, 64];

async function untilReached<Tables>(db: Kysely<Tables>, position: Position): Promise<void> {
  for (const pauseMs of [...PAUSES_MS, null]) {
    const { isStandby, isSameDatabase, isOnTimeline, hasReached } = await standingAt(db, position);
    if (!isSameDatabase) throw new ReplicaUnfit('is no copy of this database');
    if (!isStandby) throw new ReplicaUnfit('is no standby: it takes writes');
    if (isOnTimeline && hasReached) return;
    if (pauseMs === null)
      throw new ReplicaUnfit(isOnTimeline ? 'is behind' : 'follows another primary, or an older one');
    await sleep(pauseMs);
  }
}

/** There is nothing to commit. A rollback that fails has lost its connection, and is over too. */
function end<Tables>(transaction: ControlledTransaction<Tables>): void {
  void transaction.rollback().execute();
}

/** A server that answers, and should not read now; the message goes on behind its name. */
class ReplicaUnfit extends Error {}

function troubleOf(error: unknown): string {
  if (error instanceof ReplicaUnfit) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : error;
  return `fails (${String(code)})`;
}
