import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { document, type Schema } from './document.ts';
import { walkSchemas } from './walk-schemas.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(closed(document), 'document');

/**
 * Returns the problems of a value by the schema at a path of the document. An undescribed field is a problem,
 * although the document lets clients expect more fields.
 */
export function problemsAt(place: string[], value: unknown): string[] {
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate: ValidateFunction | undefined = ajv.getSchema(`document#/${pointer}`);
  if (!validate) return [`nothing is described at ${place.join(' ')}`];
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  return errors.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
}

function closed<Whole>(whole: Whole): Whole {
  const copy = structuredClone(whole);
  walkSchemas(copy, (schema: Schema) => {
    const isOpen = schema.properties && !('additionalProperties' in schema);
    if (isOpen) schema.unevaluatedProperties = false;
  });
  return copy;
}
