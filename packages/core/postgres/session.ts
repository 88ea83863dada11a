/** Settings of a session by name. A connection without a pooler sends them when it opens, at no cost. */
export type SessionSettings = Record<string, string>;

/** All session settings that Pawl relies on. `checkpoint/require-server.ts` checks the other settings. */
export const SESSION: SessionSettings = {
  // The drivers read times only in this form.
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  // Times without a zone, and days, are in UTC.
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
  // A search finds all matches.
  gin_fuzzy_search_limit: '0',
  // A stalled network is an error within seconds. An idle connection is not an error.
  statement_timeout: '15000',
  idle_in_transaction_session_timeout: '5000',
  lock_timeout: '0',
  idle_session_timeout: '0',
};

/** The settings of sessions only: a pooler closes idle sessions itself, and each `begin` names its isolation. */
const OF_SESSIONS = ['idle_session_timeout', 'default_transaction_isolation'];

export function beginText(isolationLevel = 'read committed'): string {
  return `begin isolation level ${isolationLevel}`;
}

/**
 * Returns statements that set the settings of a transaction. With a pooler, each transaction may have another
 * session.
 */
export function setLocal(settings: SessionSettings): string[] {
  const ofTransactions = Object.entries(settings).filter(([name]) => !OF_SESSIONS.includes(name));
  return ofTransactions.map(([name, value]) => `set local ${name} = '${value}'`);
}

/** Returns settings as command-line options of a server, as node-postgres sends them. */
export function startupOptions(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ');
}
