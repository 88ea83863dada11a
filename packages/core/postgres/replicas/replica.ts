import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlledTransaction, Kysely } from 'kysely';
import { openConnection } from '../connection.ts';
import { pooledDialect } from '../dialect.ts';
import { openPool } from '../pool.ts';
import { type Position, standingAt } from './position.ts';

/** A server that may read for the primary. It is left out while it cannot read. */
export type Replica<Tables> = {
  /**
   * Whether reads should be tried here. A server that is left out is asked again from time to time, beside the reads.
   */
  isUsable(): boolean;
  /**
   * Begins a transaction in which each statement sees all commits up to a position. Returns null if this takes too
   * long.
   */
  enter(position: Position): Promise<ControlledTransaction<Tables> | null>;
  /** Ends such a transaction. If the server has failed in it, the server is left out. */
  leave(transaction: ControlledTransaction<Tables>, failure?: unknown): void;
  close(): Promise<void>;
};

/**
 * A report that a replica is left out, with the reason in words after its name, or null once it reads. Sent on each
 * change.
 */
export type ReportReplica = (name: string, trouble: string | null) => void;

type Options = { name: string; url: string; askPosition(): Promise<Position>; report: ReportReplica };

const CONNECTIONS = 10;
const RETRY_AFTER_MS = 2_000;

/** Opens a replica. It is used after it has confirmed that it is a replica. */
export function openReplica<Tables>({ name, url, askPosition, report }: Options): Replica<Tables> {
  const pool = openPool((closed) => openConnection(url, closed), { shared: 0, own: CONNECTIONS });
  const db = new Kysely<Tables>({ dialect: pooledDialect(pool) });
  let trouble: string | null = 'was not checked yet';
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

/** The maximum wait of a read for a slow server, before the primary runs the read. */
const ENTER_TIMEOUT_MS = 1_000;

async function enterInTime<Tables>(db: Kysely<Tables>, position: Position): Promise<ControlledTransaction<Tables>> {
  const entering = enterAt(db, position);
  const timeout = new AbortController();
  const late = sleep(ENTER_TIMEOUT_MS, null, { signal: timeout.signal }).catch(() => null);
  const transaction = await Promise.race([entering, late]).finally(() => timeout.abort());
  if (transaction) return transaction;
  entering.then(end, () => {});
  throw new ReplicaUnusable('does not answer in time');
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

/** The pauses in which commits on their way arrive, 127 ms in all. */
const PAUSES_MS = [1, 2, 4, 8, 16, 32, 64];

async function untilReached<Tables>(db: Kysely<Tables>, position: Position): Promise<void> {
  for (const pauseMs of [...PAUSES_MS, null]) {
    const { isStandby, isSameDatabase, isOnTimeline, hasReached } = await standingAt(db, position);
    if (!isSameDatabase) throw new ReplicaUnusable('is not a copy of this database');
    if (!isStandby) throw new ReplicaUnusable('is not a standby: it accepts writes');
    if (isOnTimeline && hasReached) return;
    if (pauseMs === null) throw new ReplicaUnusable(isOnTimeline ? 'is behind' : 'follows another or an older primary');
    await sleep(pauseMs);
  }
}

/**
 * Ends a transaction, which has no writes to commit. If the rollback fails, the connection is lost and the
 * transaction is over too.
 */
function end<Tables>(transaction: ControlledTransaction<Tables>): void {
  void transaction.rollback().execute();
}

/** The error of a server that answers but should not read now. The message follows its name. */
class ReplicaUnusable extends Error {}

function troubleOf(error: unknown): string {
  if (error instanceof ReplicaUnusable) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : error;
  return `fails (${String(code)})`;
}
