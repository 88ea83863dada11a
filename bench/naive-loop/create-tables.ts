import type postgres from 'postgres';

/** The loop's own tables: turns and the messages of each. */
export async function createTables(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create schema naive;
    create table naive.turns (
      id text primary key,
      model text not null,
      status text not null default 'queued',
      step text not null default 'round-1',
      open_calls integer not null default 0,
      output text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create table naive.messages (
      turn_id text not null references naive.turns on delete cascade,
      position integer not null,
      role text not null,
      content text,
      tool_calls json,
      tool_call_id text,
      usage json,
      created_at timestamptz not null default now(),
      primary key (turn_id, position)
    );`);
}
