import { isRecord } from '../../../json.ts';
import { requireUsable, schemaSource } from '../../arguments/require-usable.ts';
import { cleanJson } from '../../clean.ts';

type JsonSchema = Record<string, unknown>;

/** The schema by which the results of a tool are checked, or the reason against it; both null without a schema. */
export type OutputSchema = { schema: JsonSchema | null; why: string | null };

/** Characters of a schema, as JSON. */
const LONGEST = 64 * 1024;

/** Reads the schema that a server declares for the results of a tool. A schema that cannot be used checks nothing. */
export async function usableOutputSchema(given: unknown): Promise<OutputSchema> {
  if (given === undefined || given === null) return { schema: null, why: null };
  const schema = cleanJson(given, (text) => text);
  if (!isRecord(schema)) return { schema: null, why: 'Give a JSON Schema.' };
  if (JSON.stringify(schema).length > LONGEST) return { schema: null, why: 'Make the schema smaller than 64 KiB.' };
  try {
    await requireUsable(schema, schemaSource(''));
    return { schema, why: null };
  } catch (error) {
    return {
      schema: null,
      why: `Give a valid JSON Schema: ${error instanceof Error ? error.message : String(error)}.`,
    };
  }
}
