import { sql } from 'kysely';
import { listed } from '../sql/listed.ts';
import type { Db, Trx } from '../tables.ts';
import type { ErasedPortion } from './erase-lines.ts';
import { lockLines } from './lock-lines.ts';
import { removeTurns } from './remove-turns.ts';

/** Turns that one transaction erases at most, and how many it looks at for them. */
const MAX_TURNS = 100;
const MAX_LOOKED_AT = 500;

/** The turns of a project that were kept for as many days since their end, from the id behind `after` on. */
export type Aged = { project: string; days: number; after: string };

type OldTurn = { id: string; conversationId: string; isOld: boolean; goes: boolean };

const NOTHING: ErasedPortion = { turnIds: [], conversationIds: [], next: null };

/**
 * Erases a portion of the turns of a project that ended longer ago than it keeps them, oldest first, and conversations with the
 * last of theirs (R32). Ids sort by time, so the oldest turns are found by the index of lists. It waits for no conversation: what
 * others have locked is left for the next time. One process does this at a time.
 */
export async function eraseAged(db: Db, { project, days, after }: Aged): Promise<ErasedPortion> {
  return db.transaction().execute(async (trx) => {
    if (!(await isOnlyEraser(trx))) return NOTHING;
    const { rows } = await sql<OldTurn>`
      select id, conversation_id as "conversationId", created_at < ${daysAgo(days)} as "isOld", ${goesByAge(days)} as goes
      from turns where project = ${project} and id > ${after} order by id limit ${MAX_LOOKED_AT}`.execute(trx);
    const going = rows.filter(({ goes }) => goes).slice(0, MAX_TURNS);
    const next = nextAfter(rows, going);
    if (going.length === 0) return { ...NOTHING, next };

    const lines = await lockLines(trx, [...new Set(going.map(({ conversationId }) => conversationId))], {
      waits: false,
    });
    const turnIds = await lockTurns(trx, { lines, going: going.map(({ id }) => id), days });
    if (turnIds.length === 0) return { ...NOTHING, next };
    return { ...(await removeTurns(trx, { lines, turnIds, isByAge: true })), next };
  });
}

/** Whether no other process erases by age; until the end of the transaction. */
export async function isOnlyEraser(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ isFree: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('pawl.erase_aged')) as "isFree"`.execute(trx);
  return rows[0]?.isFree === true;
}

/** A moment so many days ago, by the database's clock. */
export function daysAgo(days: number) {
  return sql`now() - ${days}::double precision * interval '1 day'`;
}

/** What was taken out of its conversation already goes with the last fork. */
const goesByAge = (days: number) =>
  sql<boolean>`coalesce(stored and history_until is null and completed_at < ${daysAgo(days)}, false)`;

/** Behind the last turn of a full portion, else behind all that were looked at, as long as some of these were old enough. */
function nextAfter(rows: OldTurn[], going: OldTurn[]): string | null {
  if (going.length === MAX_TURNS) return going.at(-1)?.id ?? null;
  const goesOn = rows.length === MAX_LOOKED_AT && rows.some(({ isOld }) => isOld);
  return goesOn ? (rows.at(-1)?.id ?? null) : null;
}

/** A turn may have been reopened or deleted meanwhile. */
async function lockTurns(
  trx: Trx,
  { lines, going, days }: { lines: string[]; going: string[]; days: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from turns
    where id in (${listed(going)}) and conversation_id in (${listed(lines)}) and ${goesByAge(days)}
    order by id for update`.execute(trx);
  return rows.map(({ id }) => id);
}
