import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { StoredEvent } from '../../../turn/event.ts';
import type { Db } from '../../tables.ts';

/** A turn's durable events after a number, in order. */
export async function listEvents(
  db: Db,
  turnId: string,
  page: { after: number; limit: number },
): Promise<StoredEvent[]> {
  const query = db
    .selectFrom('events')
    .select(['id', 'number', 'type', 'round', 'call_index as callIndex', 'data'])
    .select(sql<string>`created_at::text`.as('createdAt'))
    .where('turn_id', '=', turnId)
    .where('number', '>', page.after)
    .orderBy('number')
    .limit(page.limit);
  return read(db, query);
}

/** The indexes of a round's answered calls, in the order in which they were answered. */
export async function listAnswered(db: Db, turnId: string, round: number): Promise<number[]> {
  const query = db
    .selectFrom('events')
    .select('call_index as index')
    .where('turn_id', '=', turnId)
    .where('round', '=', round)
    .where('type', '=', 'tool_call.completed')
    .orderBy('number');
  const rows = await read(db, query);
  return rows.flatMap(({ index }) => (index === null ? [] : [index]));
}
