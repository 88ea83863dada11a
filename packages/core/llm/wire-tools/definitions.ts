import { mapValues, recordOf, type Schema } from '../../json-schema/parts.ts';
import { wordOf } from '../../text.ts';

/** Returns the definitions of a schema under `$defs`, which was `definitions` before 2019. */
export function definitionsIn({ $defs, definitions }: Schema, render: (schema: unknown) => Schema): Schema {
  const all = { ...recordOf(definitions), ...recordOf($defs) };
  return Object.keys(all).length > 0 ? { $defs: mapValues(all, render) } : {};
}

/** Moves a reference from `definitions` to `$defs`. */
export function definedIn(ref: string): string {
  return ref.replace(/^#\/definitions\//, '#/$defs/');
}

/** Returns the fields that a wire takes unchanged, and the `format` if the wire supports it. */
export function plainFields(schema: Schema, fields: readonly string[], formats: ReadonlySet<string>): Schema {
  const kept = Object.fromEntries(fields.filter((field) => field in schema).map((field) => [field, schema[field]]));
  return formats.has(wordOf(schema.format)) ? { ...kept, format: schema.format } : kept;
}
