import type postgres from 'postgres';
import type { CallRow, DeliveryRow, Rows, TurnRow } from './history.ts';

/** Reads what the database holds at the end of a run. */
export async function readRows(sql: postgres.Sql): Promise<Rows> {
  const [turns, rounds, calls, events, deliveries] = await Promise.all([
    sql<TurnRow[]>`select id, (metadata ->> 'plan')::int as plan, status, step, held_by as "heldBy", output,
      error ->> 'code' as "errorCode", last_event as "lastEvent", ${ms(sql, 'created_at')} as "createdAt",
      ${ms(sql, 'completed_at')} as "completedAt" from turns order by id`,
    sql<Rows['rounds']>`select turn_id as "turnId", number, attempts from rounds order by turn_id, number`,
    sql<CallRow[]>`select turn_id as "turnId", round, index, id, name, effect, arguments::json ->> 'mark' as mark,
      case when result ->> 'status' = 'error' then result -> 'error' ->> 'category' else result ->> 'status' end as outcome
      from tool_calls order by turn_id, round, index`,
    sql<Rows['events']>`select turn_id as "turnId", number, type, ${ms(sql, 'created_at')} as at
      from events order by turn_id, number`,
    sql<DeliveryRow[]>`select deliveries.id, deliveries.turn_id as "turnId", events.id as "eventId", status, attempts,
      last_status_code as "lastStatusCode"
      from deliveries join events on events.turn_id = deliveries.turn_id and number = event_number`,
  ]);
  return { turns, rounds, calls, events, deliveries };
}

function ms(sql: postgres.Sql, column: string) {
  return sql`(extract(epoch from ${sql(column)}) * 1000)::double precision`;
}
