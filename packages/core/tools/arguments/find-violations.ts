import { LRUCache } from 'lru-cache';
import { SCHEMA_BOUNDS } from '../../bounds/schema-bounds.ts';
import { type CheckedInProcess, checkInProcess } from './check-in-process.ts';
import { compileSchema, SchemaRefused } from './compile-schema.ts';
import { isLightSchema } from './light-schema.ts';
import { OutOfTime, stopAfter } from './stop-after.ts';
import { canHang, onlyViolation, type Violations, violationsOf } from './violation.ts';

/** A value with its JSON text and its project. */
export type GivenValue = { value: unknown; text: string; project: string };

const MINUTE_MS = 60_000;

/** Light schemas with checks that blocked the event loop too long. Later checks run in another process. */
const slowSchemas = new LRUCache<string, true>({ max: 200, ttl: MINUTE_MS });

/** Returns the violations of a schema by a value. Another process checks slow schemas. Never rejects. */
export async function findViolations(given: GivenValue, schema: Record<string, unknown>): Promise<Violations> {
  const text = JSON.stringify(schema);
  const found = slowSchemas.has(text) || !isLightSchema(text) ? null : checkHere(given, schema, text);
  return found ?? sayAnswer(await checkInProcess({ project: given.project, schema: text, value: given.text }));
}

function checkHere(
  { value, text }: GivenValue,
  schema: Record<string, unknown>,
  schemaText: string,
): Violations | null {
  try {
    const check = compileSchema(schema);
    const mayHang = canHang(schemaText, text);
    return violationsOf(value, check, (work) => (mayHang ? stopAfter(SCHEMA_BOUNDS.lightCheckMs, work) : work()));
  } catch (error) {
    if (error instanceof SchemaRefused) return unusable(error.message);
    if (!(error instanceof OutOfTime)) throw error;
    slowSchemas.set(schemaText, true);
    return null;
  }
}

function sayAnswer(answer: CheckedInProcess): Violations {
  switch (answer.kind) {
    case 'checked':
      return answer.violations;
    case 'refused':
      return unusable(answer.reason);
    case 'usable':
    case 'out-of-time':
    case 'out-of-memory':
      return { ...onlyViolation('took too long to check; send shorter values'), isUnchecked: true };
  }
}

function unusable(reason: string): Violations {
  return { ...onlyViolation(`cannot be used: ${reason}`, ['schema']), isUnchecked: true };
}
