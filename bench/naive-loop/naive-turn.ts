import type postgres from 'postgres';

/** A message as the model's wire has it. */
export type NaiveMessage = {
  role: 'user' | 'assistant' | 'tool';
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[] | null;
  tool_call_id?: string | null;
};

/** A turn as it is stored; `step` is the job that is due, `round-1`, `batch-1`, `round-2` … or `done`. */
export type NaiveTurn = { id: string; model: string; status: string; step: string; messages: NaiveMessage[] };

/** Stores a new turn. */
export async function startNaiveTurn(sql: postgres.Sql, id: string, request: { model: string; input: string }) {
  await sql.begin(async (trx) => {
    await trx`insert into naive.turns (id, model) values (${id}, ${request.model})`;
    await trx`insert into naive.messages (turn_id, position, role, content) values (${id}, 0, 'user', ${request.input})`;
  });
}

/** Reads a turn with all its messages. */
export async function loadNaiveTurn(sql: postgres.Sql, id: string): Promise<NaiveTurn | undefined> {
  const [[turn], messages] = await Promise.all([
    sql<Omit<NaiveTurn, 'messages'>[]>`select id, model, status, step from naive.turns where id = ${id}`,
    sql<NaiveMessage[]>`
      select role, content, tool_calls, tool_call_id from naive.messages where turn_id = ${id} order by position`,
  ]);
  return turn && { ...turn, messages };
}
