import type postgres from 'postgres';

/** A message as the model's wire has it, and as it is stored. */
export type NaiveMessage = {
  role: 'user' | 'assistant' | 'tool';
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
};

/** Stores a new turn. */
export async function startNaiveTurn(sql: postgres.Sql, turnId: string, input: string): Promise<void> {
  const message: NaiveMessage = { role: 'user', content: input };
  await sql.begin(async (trx) => {
    await trx`insert into naive.turns (id) values (${turnId})`;
    await trx`insert into naive.messages (turn_id, position, message) values (${turnId}, 0, ${trx.json(message)})`;
  });
}

/** All messages of a turn so far. */
export async function loadMessages(sql: postgres.Sql, turnId: string): Promise<NaiveMessage[]> {
  const rows = await sql<{ message: NaiveMessage }[]>`
    select message from naive.messages where turn_id = ${turnId} order by position`;
  return rows.map(({ message }) => message);
}

/** How a turn stands, as its starter asks for it. */
export type NaiveEnd = { status: string; output: string | null; messages: number };

/** Reads how a turn stands. */
export async function readEnd(sql: postgres.Sql, turnId: string): Promise<NaiveEnd | undefined> {
  const [turn] = await sql<NaiveEnd[]>`
    select status, output, (select count(*)::int from naive.messages where turn_id = turns.id) as messages
    from naive.turns where id = ${turnId}`;
  return turn;
}
