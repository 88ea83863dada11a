import type postgres from 'postgres';
import type { NaiveMessage, NaiveTurn } from './naive-turn.ts';

/** Readers see that the turn is in progress. */
export async function markRunning(sql: postgres.Sql, { id }: NaiveTurn): Promise<void> {
  await sql`update naive.turns set status = 'running', updated_at = now() where id = ${id} and status = 'queued'`;
}

/** A reply, with the next step or as the answer; false where another job was faster. */
export async function saveReply(
  sql: postgres.Sql,
  turn: NaiveTurn,
  { message, usage, next }: { message: NaiveMessage; usage: unknown; next: string },
): Promise<boolean> {
  const calls = message.tool_calls ?? [];
  const isLast = next === 'done';
  const row = {
    turn_id: turn.id,
    position: turn.messages.length,
    role: message.role,
    content: message.content,
    tool_calls: calls.length > 0 ? sql.json(calls) : null,
    usage: sql.json(usage as postgres.JSONValue),
  };
  return sql.begin(async (trx) => {
    const { count } = await trx`
      update naive.turns set status = ${isLast ? 'completed' : 'running'}, step = ${next}, open_calls = ${calls.length},
        output = ${isLast ? message.content : null}, updated_at = now()
      where id = ${turn.id} and step = ${turn.step}`;
    if (count === 0) return false;
    await trx`insert into naive.messages ${trx(row)}`;
    return true;
  });
}

/** The result of one call, as soon as it is known; true for the one that completes the batch. */
export async function saveResult(
  sql: postgres.Sql,
  turn: NaiveTurn,
  { message, position, next }: { message: NaiveMessage; position: number; next: string },
): Promise<boolean> {
  return sql.begin(async (trx) => {
    const inserted = await trx`
      insert into naive.messages (turn_id, position, role, content, tool_call_id)
      values (${turn.id}, ${position}, 'tool', ${message.content}, ${message.tool_call_id ?? null})
      on conflict do nothing`;
    if (inserted.count === 0) return false;
    const [left] = await trx`
      update naive.turns set open_calls = open_calls - 1, updated_at = now(),
        step = case when open_calls = 1 then ${next} else step end
      where id = ${turn.id} and step = ${turn.step} returning open_calls`;
    return left?.open_calls === 0;
  });
}
