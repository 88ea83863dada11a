import { isTransient } from './retry-transient.ts';

/** Why PostgreSQL refuses a statement for good: its values, or the schema, a privilege or the server. */
export type Refusal = { kind: 'data' | 'installation'; code: string };

/** Values that do not fit a type, a constraint or a limit, and what our functions raise. */
const OF_DATA = /^(21|22|23|44|54|P0)/;

/** A schema, a table, a column, a function or a privilege that Pawl needs and has not. */
const OF_SCHEMA = /^(3F000|42501|42703|42704|42883|42P01)$/;

/** Reads why PostgreSQL refuses a statement; null for a fault that passes, and for an error from elsewhere. */
export function refusalOf(error: unknown): Refusal | null {
  if (isTransient(error)) return null;
  if (!(error instanceof Error && 'severity' in error && 'code' in error)) return null;
  const code = String(error.code);
  return { kind: OF_DATA.test(code) ? 'data' : 'installation', code };
}

/** Whether the schema or the privileges in a database are not those of this version. */
export function isSchemaFault(error: unknown): boolean {
  return OF_SCHEMA.test(refusalOf(error)?.code ?? '');
}
