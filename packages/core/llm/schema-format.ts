import type { TextFormat } from '../turn/request/response.ts';

type Format = Extract<TextFormat, { type: 'json_schema' }>;

/** Returns the schema of an answer for both wires. A description and `strict` are sent only if the caller gave them. */
export function schemaFormat({ name, schema, strict, description }: Format) {
  return {
    name,
    ...(description ? { description } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
    schema,
  };
}
