import type postgres from 'postgres';
import type { StepData } from './open-bullmq.ts';

/** A message as the model's wire has it, and as it is stored. */
export type NaiveMessage = {
  role: 'user' | 'assistant' | 'tool';
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
};

/** Creates the loop's own tables: turns and the messages of each. */
export async function createTables(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create schema naive;
    create table naive.turns (
      id text primary key,
      status text not null default 'queued',
      step text not null default 'round-1',
      output text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create table naive.messages (
      turn_id text not null,
      position integer not null,
      message json not null,
      primary key (turn_id, position)
    );`);
}

export async function startNaiveTurn(sql: postgres.Sql, turnId: string, input: string): Promise<void> {
  const message: NaiveMessage = { role: 'user', content: input };
  await sql.begin(async (trx) => {
    await trx`insert into naive.turns (id) values (${turnId})`;
    await trx`insert into naive.messages (turn_id, position, message) values (${turnId}, 0, ${trx.json(message)})`;
  });
}

export async function loadMessages(sql: postgres.Sql, turnId: string): Promise<NaiveMessage[]> {
  const rows = await sql<{ message: NaiveMessage }[]>`
    select message from naive.messages where turn_id = ${turnId} order by position`;
  return rows.map(({ message }) => message);
}

/** The results of a step: new messages after the `position` earlier messages, and the next step, or `done`. */
type NaiveProgress = { messages: NaiveMessage[]; position: number; next: string };

/** Saves the results of a step in its own transaction. Returns false if another job was faster. */
export async function saveStep(
  sql: postgres.Sql,
  { turnId, step }: StepData,
  { messages, position, next }: NaiveProgress,
): Promise<boolean> {
  const isDone = next === 'done';
  const output = isDone ? (messages[0]?.content ?? null) : null;
  return sql.begin(async (trx) => {
    const { count } = await trx`
      update naive.turns
      set status = ${isDone ? 'completed' : 'running'}, step = ${next}, output = ${output}, updated_at = now()
      where id = ${turnId} and step = ${step}`;
    if (count === 0) return false;
    for (const [index, message] of messages.entries()) {
      await trx`
        insert into naive.messages (turn_id, position, message)
        values (${turnId}, ${position + index}, ${trx.json(message)})`;
    }
    return true;
  });
}

/** The fields of an ended turn that its starter reads. */
type NaiveEnd = { status: string; output: string | null; messages: number };

export async function readEnd(sql: postgres.Sql, turnId: string): Promise<NaiveEnd | undefined> {
  const [turn] = await sql<NaiveEnd[]>`
    select status, output, (select count(*)::int from naive.messages where turn_id = turns.id) as messages
    from naive.turns where id = ${turnId}`;
  return turn;
}
