import { sql } from 'kysely';
import { Misconfigured } from '../failure.ts';
import { read } from '../postgres/read-write.ts';
import { SESSION } from '../postgres/session.ts';
import type { Db } from './tables.ts';

const OLDEST_VERSION = 15;

/** Settings of a server that no session can change. `transactionMs` is 0 if transactions have no time limit. */
export type Server = { version: number; encoding: string; transactionMs: number };

/** Refuses a server or a database that Pawl cannot use. */
export async function requireServer(db: Db): Promise<void> {
  const [server] = await read<Server>(
    db,
    sql`
    select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding,
      coalesce((select setting::int from pg_settings where name = 'transaction_timeout'), 0) as "transactionMs"`,
  );
  const problem = server && serverProblem(server);
  if (problem) throw new Misconfigured(problem);
}

/** Returns the problem of a server with its solution, or null if Pawl can use the server. */
function serverProblem({ version, encoding, transactionMs }: Server): string | null {
  if (version < OLDEST_VERSION)
    return `PostgreSQL at DATABASE_URL has version ${version}. Use PostgreSQL ${OLDEST_VERSION} or newer.`;
  if (encoding !== 'UTF8')
    return (
      `The database at DATABASE_URL is encoded in ${encoding}, which cannot store every text. ` +
      "Create it with `encoding 'UTF8' template template0`."
    );
  if (transactionMs > 0 && transactionMs < Number(SESSION.statement_timeout))
    return (
      `transaction_timeout of the database at DATABASE_URL is ${transactionMs} ms, which is too short. ` +
      `Set it to 0, or to ${SESSION.statement_timeout} or more.`
    );
  return null;
}

/** Refuses a role that may not use all tables of Pawl. */
export async function requirePrivileges(db: Db, tables: string[]): Promise<void> {
  const [found] = await read<{ role: string; forbidden: string[] }>(
    db,
    sql`
    select current_user as role, coalesce(json_agg(name order by name) filter (where not (
      has_table_privilege(format('public.%I', name), 'select') and has_table_privilege(format('public.%I', name), 'insert')
      and has_table_privilege(format('public.%I', name), 'update') and has_table_privilege(format('public.%I', name), 'delete')
    )), '[]') as forbidden
    from json_array_elements_text(${tables}::json) as name`,
  );
  const [first, ...others] = found?.forbidden ?? [];
  if (!found || !first) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more tables`;
  throw new Misconfigured(
    `The role ${found.role} of DATABASE_URL may not read and write ${first}${more}. ` +
      `Run \`grant select, insert, update, delete on all tables in schema public to ${found.role}\`.`,
  );
}
