import { sql } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';

/** The rows of a turn in all tables, without ids and times. `dueInSeconds` counts from now. */
export type RowsOfTurn = { rows: unknown; dueInSeconds: number };

/**
 * Reads the rows of a turn. Turns that differ only in ids and times have equal rows. Usage rows have the turn's id as
 * their key.
 */
export async function rowsOfTurn(
  db: Db,
  { id, conversationId }: { id: string; conversationId: string },
): Promise<RowsOfTurn> {
  const rowsOf = (
    from: string,
    order: string,
  ) => sql`(select coalesce(json_agg(to_jsonb(found) order by ${sql.raw(order)}), '[]')
    from ${sql.raw(from)} as found)`;
  const { rows } = await sql<RowsOfTurn>`select json_build_object(
      'turns', ${rowsOf(`(select * from turns where id = '${id}')`, 'id')},
      'work', ${rowsOf(`(select * from work where id = '${id}')`, 'id')},
      'rounds', ${rowsOf(`(select * from rounds where turn_id = '${id}')`, 'number')},
      'tool_calls', ${rowsOf(`(select * from tool_calls where turn_id = '${id}')`, 'round, index')},
      'events', ${rowsOf(`(select * from events where turn_id = '${id}')`, 'number')},
      'deliveries', ${rowsOf(`(select * from deliveries where turn_id = '${id}')`, 'event_number')},
      'usage_records', ${rowsOf(`(select * from usage_records where key_id = '${id}')`, 'at, rounds')}) as rows,
      coalesce((select extract(epoch from due_at - now()) from work where id = ${id}), 0)::float8 as "dueInSeconds"`.execute(
    db,
  );
  const { rows: found, dueInSeconds } = rows[0]!;
  return { rows: plain(found, new Set([id, conversationId])), dueInSeconds };
}

/** Replaces the ids of a turn, and times, in the answer of a verb or in rows. */
export function plain(value: unknown, ids: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return ids.has(value) ? 'its id' : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => plain(entry, ids));
  const entries = Object.entries(value).filter(([name]) => !OF_EVENTS.has(name) || !('call_index' in value));
  return Object.fromEntries(entries.map(([name, entry]) => [name, isTime(name, entry) ? 'a time' : plain(entry, ids)]));
}

const OF_EVENTS = new Set(['id']);
const TIMES = /^(at|due_bucket|.*_(at|until|since))$/;

function isTime(name: string, value: unknown): boolean {
  return TIMES.test(name) && value !== null;
}
