import type { Kysely, Transaction } from 'kysely';

/** A connection, inside or outside a transaction. */
export type Db = Kysely<Tables>;

/** The caller's transaction. Writes in it commit together with the caller's other writes. */
export type Trx = Transaction<Tables>;

/** Rows of any table. Statements are written in SQL, and `migrations/` defines the columns. */
export type Tables = Record<string, Record<string, unknown>>;
