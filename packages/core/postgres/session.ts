/** Settings of a session by name. A connection without a pooler sends them when it opens, at no cost. */
export type SessionSettings = Record<string, string>;

/** All session settings that Pawl relies on; `checkpoint/require-server.ts` checks the other settings. */
export const SESSION: SessionSettings = {
  // The drivers read moments in this form only.
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  // A moment without a zone, and a day, are those of UTC.
  TimeZone: 'UTC',
  // The drivers read blobs in this form, and costs with all their digits.
  bytea_output: 'hex',
  extra_float_digits: '1',
  // BullMQ and Kysely write a backslash as itself.
  standard_conforming_strings: 'on',
  // Statements name no schema. A connection of the queue sets its own.
  search_path: 'public',
  // Guards read rows that were committed while they waited for a lock.
  default_transaction_isolation: 'read committed',
  // A search finds all.
  gin_fuzzy_search_limit: '0',
  // A network that stands still is an error within seconds, and an idle connection is no error.
  statement_timeout: '15000',
  idle_in_transaction_session_timeout: '5000',
  lock_timeout: '0',
  idle_session_timeout: '0',
};

/** Kept for a session and not for a transaction: a pooler closes idle sessions as it likes, and each `begin` names its isolation. */
const OF_SESSIONS = ['idle_session_timeout', 'default_transaction_isolation'];

/** Begins a transaction. */
export function beginText(isolationLevel = 'read committed'): string {
  return `begin isolation level ${isolationLevel}`;
}

/** Statements that give a transaction its settings: behind a pooler each transaction may have another session. */
export function setLocal(settings: SessionSettings): string[] {
  const ofTransactions = Object.entries(settings).filter(([name]) => !OF_SESSIONS.includes(name));
  return ofTransactions.map(([name, value]) => `set local ${name} = '${value}'`);
}

/** Settings as command-line options of a server, which is how node-postgres sends them. */
export function startupOptions(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ');
}
