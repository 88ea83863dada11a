import { sql } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';

/** Returns all rows of all tables as text, including the queue. */
export async function dumpTables(db: Db): Promise<string> {
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`.execute(db);
  const dumps = tables.map(async ({ schema, name }) => {
    const { rows } = await sql<{ row: string }>`
      select row_to_json(dumped)::text as row from ${sql.table(`${schema}.${name}`)} as dumped`.execute(db);
    return `${name}\n${rows.map(({ row }) => row).join('\n')}`;
  });
  return (await Promise.all(dumps)).join('\n');
}
