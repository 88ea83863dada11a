import { isTransient } from './retry-transient.ts';

/**
 * The reason for which PostgreSQL refuses a statement permanently: its values, or the schema, a privilege or the
 * server.
 */
export type Refusal = { kind: 'data' | 'installation'; code: string };

/** The codes of values that do not fit a type, a constraint or a limit, and of errors that Pawl's functions raise. */
const OF_DATA = /^(21|22|23|44|54|P0)/;

/** The codes of a missing schema, table, column, function or privilege. */
const OF_SCHEMA = /^(3F000|42501|42703|42704|42883|42P01)$/;

/** Returns the reason of a refusal, or null for a fault that passes, and for an error from elsewhere. */
export function refusalOf(error: unknown): Refusal | null {
  if (isTransient(error)) return null;
  if (!(error instanceof Error && 'severity' in error && 'code' in error)) return null;
  const code = String(error.code);
  return { kind: OF_DATA.test(code) ? 'data' : 'installation', code };
}

/** Returns whether the schema or the privileges in a database do not fit this version. */
export function isSchemaFault(error: unknown): boolean {
  return OF_SCHEMA.test(refusalOf(error)?.code ?? '');
}
