import type pg from 'pg';

/** How BullMQ asks its Postgres: a text, and the values of its parameters. */
export type Query = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

/** SQLSTATE of a prepared statement whose table or function has changed since; nothing of it was run. */
const HAS_CHANGED = '0A000';

/**
 * Has each connection of a pool parse and plan a statement once: BullMQ sends the same few again and again as texts, and pg
 * prepares what has a name.
 */
export function prepareStatements(query: (prepared: pg.QueryConfig) => Promise<pg.QueryResult>): Query {
  const names = new Map<string, string>();
  let named = 0;

  function nameOf(text: string): string {
    const known = names.get(text);
    if (known) return known;
    named += 1;
    const name = `bullmq-${named}`;
    names.set(text, name);
    return name;
  }
  /** Where a migration has changed what a statement answers, connections that have it prepared take it under a new name. */
  return async (text, values) => {
    const name = nameOf(text);
    try {
      return await query({ name, text, values });
    } catch (error) {
      if ((error as { code?: unknown }).code !== HAS_CHANGED) throw error;
      if (names.get(text) === name) names.delete(text);
      return query({ name: nameOf(text), text, values });
    }
  };
}
