import type postgres from 'postgres';

/** The loop's own tables: turns and the messages of each. */
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
