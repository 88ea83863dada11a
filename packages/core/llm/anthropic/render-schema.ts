import { isRecord } from '../../json.ts';
import { mapValues, type Schema } from '../../json-schema/parts.ts';
import { definedIn, definitionsIn, plainFields } from '../wire-tools/definitions.ts';

/**
 * Renders a schema for `output_config.format`: every object is closed, and bounds are removed. Unknown keywords are
 * removed too. The given schema is not changed.
 */
export function renderSchema(schema: unknown): Schema {
  if (!isRecord(schema)) return {};
  const definitions = definitionsIn(schema, renderSchema);
  if (typeof schema.$ref === 'string') return { $ref: definedIn(schema.$ref), ...definitions };
  return { ...plainFields(schema, PLAIN, FORMATS), ...choicesOf(schema), ...innerOf(schema), ...definitions };
}

const PLAIN = ['type', 'description', 'title', 'default', 'enum', 'const'];
const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']);

/** Renders `oneOf` as `anyOf`. */
function choicesOf({ anyOf, oneOf, allOf }: Schema): Schema {
  const any = Array.isArray(anyOf) ? anyOf : oneOf;
  return {
    ...(Array.isArray(any) ? { anyOf: any.map(renderSchema) } : {}),
    ...(Array.isArray(allOf) ? { allOf: allOf.map(renderSchema) } : {}),
  };
}

function innerOf(schema: Schema): Schema {
  const { properties, required, items } = schema;
  const array = isRecord(items) ? { items: renderSchema(items) } : {};
  if (!isObject(schema)) return array;
  return {
    ...array,
    properties: isRecord(properties) ? mapValues(properties, renderSchema) : {},
    ...(Array.isArray(required) ? { required } : {}),
    additionalProperties: false,
  };
}

function isObject({ type, properties }: Schema): boolean {
  return isRecord(properties) || [type].flat().includes('object');
}
