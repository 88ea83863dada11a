import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { StoredEvent } from '../../../turn/event.ts';
import type { Db } from '../../tables.ts';

/** Lists a turn's durable events after a number, in order. */
export async function listEvents(
  db: Db,
  turnId: string,
  page: { after: number; limit: number },
): Promise<StoredEvent[]> {
  const query = sql<StoredEvent>`
    select id, number, type, round, call_index as "callIndex", data, created_at::text as "createdAt"
    from events where turn_id = ${turnId} and number > ${page.after} order by number limit ${page.limit}`;
  return read(db, query);
}

/** Lists the indexes of a round's answered calls, in the order of their answers. */
export async function listAnswered(db: Db, turnId: string, round: number): Promise<number[]> {
  const query = sql<{ index: number | null }>`
    select call_index as index from events
    where turn_id = ${turnId} and round = ${round} and type = 'tool_call.completed' order by number`;
  const rows = await read(db, query);
  return rows.flatMap(({ index }) => (index === null ? [] : [index]));
}
