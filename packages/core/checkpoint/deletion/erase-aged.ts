import { sql } from 'kysely';
import { listed } from '../sql/listed.ts';
import type { Db, Trx } from '../tables.ts';
import type { ErasedBatch } from './erase-threads.ts';
import { lockThreads } from './lock-threads.ts';
import { removeTurns } from './remove-turns.ts';

/** The maximum of turns that a transaction erases, and of turns that it examines for that. */
const MAX_TURNS = 100;
const MAX_LOOKED_AT = 500;

/** The turns of a project that ended more than `days` days ago, with ids after `after`. */
export type Aged = { project: string; days: number; after: string };

type OldTurn = { id: string; conversationId: string; isOld: boolean; goes: boolean };

const NOTHING: ErasedBatch = { turnIds: [], conversationIds: [], next: null };

/**
 * Erases a batch of a project's turns after their retention, oldest first, and conversations with their last turn
 * (R32). Ids sort by time, so the index of lists finds the oldest. Leaves locked conversations for the next time. One
 * process runs this at a time.
 */
export async function eraseAged(db: Db, { project, days, after }: Aged): Promise<ErasedBatch> {
  return db.transaction().execute(async (trx) => {
    if (!(await isOnlyEraser(trx))) return NOTHING;
    const { rows } = await sql<OldTurn>`
      select id, conversation_id as "conversationId", created_at < ${daysAgo(days)} as "isOld", ${goesByAge(days)} as goes
      from turns where project = ${project} and id > ${after} order by id limit ${MAX_LOOKED_AT}`.execute(trx);
    const going = rows.filter(({ goes }) => goes).slice(0, MAX_TURNS);
    const next = nextAfter(rows, going);
    if (going.length === 0) return { ...NOTHING, next };

    const conversationIds = await lockThreads(trx, [...new Set(going.map(({ conversationId }) => conversationId))], {
      waits: false,
    });
    const turnIds = await lockTurns(trx, { conversationIds, going: going.map(({ id }) => id), days });
    if (turnIds.length === 0) return { ...NOTHING, next };
    return { ...(await removeTurns(trx, { conversationIds, turnIds, isByAge: true })), next };
  });
}

/** Returns whether no other process erases by age. This holds until the transaction ends. */
export async function isOnlyEraser(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ isFree: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('pawl.erase_aged')) as "isFree"`.execute(trx);
  return rows[0]?.isFree === true;
}

export function daysAgo(days: number) {
  return sql`now() - ${days}::double precision * interval '1 day'`;
}

/** The condition that a turn is erased by age. A turn that was removed before is erased with the last fork instead. */
const goesByAge = (days: number) =>
  sql<boolean>`coalesce(stored and history_until is null and completed_at < ${daysAgo(days)}, false)`;

/**
 * Returns the id to continue after: the last turn of a full batch, else the last examined turn if some turns were old
 * enough.
 */
function nextAfter(rows: OldTurn[], going: OldTurn[]): string | null {
  if (going.length === MAX_TURNS) return going.at(-1)?.id ?? null;
  const goesOn = rows.length === MAX_LOOKED_AT && rows.some(({ isOld }) => isOld);
  return goesOn ? (rows.at(-1)?.id ?? null) : null;
}

/** Locks turns and checks their age again, since a turn may have been reopened or deleted. */
async function lockTurns(
  trx: Trx,
  { conversationIds, going, days }: { conversationIds: string[]; going: string[]; days: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from turns
    where id in (${listed(going)}) and conversation_id in (${listed(conversationIds)}) and ${goesByAge(days)}
    order by id for update`.execute(trx);
  return rows.map(({ id }) => id);
}
