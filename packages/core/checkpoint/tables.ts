import type { Kysely, Transaction } from 'kysely';

/** A connection anywhere, outside or inside a transaction. */
export type Db = Kysely<Tables>;

/** The caller's own transaction: what takes it must commit together with the caller's other writes. */
export type Trx = Transaction<Tables>;

/** Rows of any table: the verbs are written in SQL, and `migrations/` has the columns. */
export type Tables = Record<string, Record<string, unknown>>;
