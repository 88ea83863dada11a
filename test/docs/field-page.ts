import { writeFileSync } from 'node:fs';
import { document, type Schema } from '../api/openapi/document.ts';
import { wrapEntry } from './wrap-entry.ts';

const FILE = new URL('../../docs/responses-fields.md', import.meta.url);

/** The treatment of a field, as its description in the schema says it. */
export type Standing = 'supported' | 'passed on' | 'hint' | 'refused';

/** One field of a create request, as the schema describes it. `reasoning.effort` is a field inside another. */
export type Field = { name: string; standing: Standing; about: string };

/** Returns all fields of `POST /v1/responses`, in the order of the schema. Those of `pawl` are without inner fields. */
export function createFields(): Field[] {
  const body = document.components.schemas.ResponseBody ?? {};
  return Object.entries(body.properties ?? {}).flatMap(([name, schema]) => {
    const inside = Object.entries(schema.properties ?? {}).map(([inner, part]) => fieldOf(`${name}.${inner}`, part));
    return [fieldOf(name, schema), ...inside];
  });
}

/** Returns the document that lists the fields. */
export function fieldPage(): string {
  const entries = createFields().flatMap(({ name, standing, about }) =>
    wrapEntry(`- \`${name}\` (**${standing}**): ${about}`),
  );
  return [...HEAD, ...entries, ''].join('\n');
}

const HEAD = [
  '# Fields of a create',
  '',
  'How Pawl treats each field of `POST /v1/responses`:',
  '',
  '- **supported**: Pawl applies the field itself.',
  '- **passed on**: Pawl sends the field to the provider. If the provider has no such field, the request is a 400',
  '  `unsupported_parameter`, unless the value is neutral.',
  '- **hint**: Pawl accepts the field. It has no effect on the answer.',
  '- **refused**: the request is a 400 `unsupported_parameter`.',
  '',
  'Any other field is a 400 `unknown_parameter`. Null has the same meaning as an omitted field.',
  '',
  'This page is generated from the schema with `node test/docs/field-page.ts`.',
  '',
];

function fieldOf(name: string, schema: Schema): Field {
  const about = descriptionOf(schema);
  return { name, standing: standingOf(about), about };
}

/** Returns the description of a schema: of the target of a reference, or of the shapes of a union. */
function descriptionOf(schema: Schema): string {
  if (typeof schema.description === 'string') return schema.description;
  const shapes = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((several) => (several ?? []) as Schema[]);
  if (typeof schema.$ref === 'string')
    shapes.push(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  return shapes.map(descriptionOf).find((text) => text !== '') ?? '';
}

function standingOf(about: string): Standing {
  if (about.startsWith('Refused')) return 'refused';
  if (about.startsWith('A hint')) return 'hint';
  return /passed on/i.test(about) ? 'passed on' : 'supported';
}

if (import.meta.main) writeFileSync(FILE, fieldPage());
