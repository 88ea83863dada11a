import { sql } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';

const TABLES = ['turns', 'work', 'rounds', 'tool_calls', 'events'];

/** Copies the rows of all turns. The returned function restores them, as a failover that loses commits does. */
export async function keepRows(db: Db): Promise<() => Promise<void>> {
  const kept = await Promise.all(
    TABLES.map(async (table) => ({ table, columns: await columnsOf(db, table), rows: await rowsOf(db, table) })),
  );
  return () =>
    db.transaction().execute(async (trx) => {
      for (const { table } of kept.toReversed()) await sql`delete from ${sql.table(table)}`.execute(trx);
      for (const { table, columns, rows } of kept) {
        const names = sql.join(columns.map((name) => sql.ref(name)));
        await sql`insert into ${sql.table(table)} (${names})
          select ${names} from json_populate_recordset(null::${sql.table(table)}, ${rows}::text::json)`.execute(trx);
      }
    });
}

async function columnsOf(db: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`.execute(db);
  return rows.map(({ name }) => name);
}

async function rowsOf(db: Db, table: string): Promise<unknown> {
  const { rows } = await sql<{ kept: unknown }>`
    select coalesce(json_agg(row), '[]')::text as kept from ${sql.table(table)} as row`.execute(db);
  return rows[0]?.kept;
}
