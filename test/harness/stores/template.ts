import postgres from 'postgres';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { createDatabase } from './create-database.ts';

/** The migrated database that the test databases are copied from. */
export const TEMPLATE = 'pawl_template';

/** Creates the template beside the database at `url`. */
export async function createTemplate(url: string): Promise<void> {
  const template = await createDatabase(url, TEMPLATE);
  await migrateAll(template);
  const sql = postgres(template, { max: 1, onnotice: () => {} });
  await sql.unsafe(EMPTY_TABLES);
  await sql.end();
}

/**
 * A function that resets a copy to no rows, except those of the applied migrations. Triggers and references are
 * disabled, so the order does not matter. Empty tables, which are most, are skipped. A large table is truncated, with
 * the tables that refer to it, because no autovacuum removes deleted rows.
 */
const EMPTY_TABLES = `
  create function empty_tables() returns void language plpgsql set session_replication_role = replica as $do$
  declare
    emptied regclass;
    has_rows boolean;
  begin
    for emptied in select oid from pg_class
      where relkind = 'r' and relnamespace in ('public'::regnamespace, 'bullmq'::regnamespace)
        and relname !~ 'migration' loop
      if pg_table_size(emptied) > 1000000 then
        execute format('truncate %s cascade', emptied);
        continue;
      end if;
      execute format('select exists (select from %s)', emptied) into has_rows;
      if has_rows then execute format('delete from %s', emptied); end if;
    end loop;
  end
  $do$`;
