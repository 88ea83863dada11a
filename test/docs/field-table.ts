import { writeFileSync } from 'node:fs';
import { document, type Schema } from '../api/openapi/document.ts';

const FILE = new URL('../../docs/responses-fields.md', import.meta.url);

/** What becomes of a field; its description in the schema says so, in these words. */
export type Standing = 'supported' | 'passed on' | 'hint' | 'refused';

/** One field of a create request, `reasoning.effort` inside another, as the schema describes it. */
export type Field = { name: string; standing: Standing; about: string };

/** All fields of `POST /v1/responses`, in the order of the schema; those of `pawl` without what is inside them. */
export function createFields(): Field[] {
  const body = document.components.schemas.ResponseBody ?? {};
  return Object.entries(body.properties ?? {}).flatMap(([name, schema]) => {
    const inside = Object.entries(schema.properties ?? {}).map(([inner, part]) => fieldOf(`${name}.${inner}`, part));
    return [fieldOf(name, schema), ...inside];
  });
}

/** The document that lists the fields. */
export function fieldTable(): string {
  const rows = createFields().map(({ name, standing, about }) => `| \`${name}\` | ${standing} | ${about} |`);
  return [...HEAD, ...rows, ''].join('\n');
}

const HEAD = [
  '# Fields of a create',
  '',
  'What becomes of each field of `POST /v1/responses`. **Passed on**: to the provider, in its own words; one that has none is 400',
  '`unsupported_parameter`, unless the value is neutral. **Hint**: taken, and of no effect on the answer. **Refused**: 400',
  '`unsupported_parameter`. Any other field is 400 `unknown_parameter`; null counts as left out.',
  '',
  'The schema says all this: `node test/docs/field-table.ts` writes this document.',
  '',
  '| field | | |',
  '|---|---|---|',
];

function fieldOf(name: string, schema: Schema): Field {
  const about = descriptionOf(schema);
  return { name, standing: standingOf(about), about };
}

/** A reference is described where it leads, one of several shapes by those it has. */
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

if (import.meta.main) writeFileSync(FILE, fieldTable());
