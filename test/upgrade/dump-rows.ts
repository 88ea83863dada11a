import postgres from 'postgres';

/** Tables that only processes at work have rows for. */
const LEFT_OUT = ['kysely_migration_lock', 'workers'];

const LINE = /^\{"table":"(\w+)","row":(.*)\}$/;

/** Returns the rows of all tables of Pawl, each as a line of JSON. Omits the queue, since it may be lost. */
export async function dumpRows(url: string): Promise<string> {
  const sql = postgres(url, { max: 1 });
  try {
    return await sql.begin('isolation level repeatable read', async (trx) => {
      await trx`set local timezone = 'UTC'`;
      const lines: string[] = [];
      for (const table of await listTables(trx)) {
        const rows = await trx.unsafe(`select row_to_json(dumped)::text as row from "${table}" as dumped order by 1`);
        if (rows.length === 0) throw new Error(`The table ${table} has no rows. Add a scene that fills it.`);
        lines.push(...rows.map(({ row }) => `{"table":"${table}","row":${row}}`));
      }
      return `${lines.join('\n')}\n`;
    });
  } finally {
    await sql.end();
  }
}

/** Replaces the rows of a database by the rows of a dump, without triggers. */
export async function loadRows(url: string, dump: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  const rows = rowsByTable(dump);
  try {
    await sql.begin(async (trx) => {
      await trx`set local session_replication_role = replica`;
      for (const table of await listTables(trx)) await trx.unsafe(`delete from "${table}"`);
      for (const [table, texts] of rows) {
        const columns = (await listColumns(trx, table)).map((name) => `"${name}"`).join(', ');
        const source = `json_populate_recordset(null::"${table}", $1::text::json)`;
        await trx.unsafe(`insert into "${table}" (${columns}) select ${columns} from ${source}`, [
          `[${texts.join(',')}]`,
        ]);
      }
    });
  } finally {
    await sql.end();
  }
}

/** Returns the rows of each table of a dump, as JSON. */
export function rowsByTable(dump: string): Map<string, string[]> {
  const rows = new Map<string, string[]>();
  for (const line of dump.split('\n')) {
    const [, table = '', row = ''] = LINE.exec(line) ?? [];
    if (row) rows.set(table, [...(rows.get(table) ?? []), row]);
  }
  return rows;
}

async function listTables(sql: postgres.ISql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`;
  return rows.map(({ name }) => name).filter((name) => !LEFT_OUT.includes(name));
}

async function listColumns(sql: postgres.ISql, table: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`;
  return rows.map(({ name }) => name);
}
