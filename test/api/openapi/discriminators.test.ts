import { expect, test } from 'vitest';
import { document, type Schema } from './document.ts';
import { walkSchemas } from './walk-schemas.ts';

const { schemas } = document.components;

/** Linters and code generators accept only these discriminators. They turn others into types without fields. */
test('a discriminator maps each member of its union, and each member has the property', () => {
  const unions: string[] = [];
  const problems: string[] = [];
  walkSchemas(document, (schema, place) => {
    if (!isDiscriminated(schema)) return;
    unions.push(place.join('/'));
    problems.push(...problemsOf(schema).map((problem) => `${place.join('/')}: ${problem}`));
  });

  expect(unions).toEqual(
    expect.arrayContaining(
      ['Event', 'StreamedEvent', 'ResponseStreamEvent'].map((name) => `components/schemas/${name}`),
    ),
  );
  expect(problems).toEqual([]);
});

type Discriminated = { discriminator: { propertyName: string; mapping?: Record<string, string> }; oneOf?: Schema[] };

/** Returns whether a schema has a discriminator. A property may also be called `discriminator`. */
function isDiscriminated(schema: Schema): schema is Schema & Discriminated {
  const { discriminator } = schema;
  return typeof discriminator === 'object' && discriminator !== null && 'propertyName' in discriminator;
}

function problemsOf({ discriminator: { propertyName, mapping = {} }, oneOf = [] }: Discriminated): string[] {
  const members = oneOf.map(({ $ref }) => String($ref));
  const mapped = Object.values(mapping);
  return [
    ...(members.length === 0 ? ['has no oneOf'] : []),
    ...members.filter((member) => !mapped.includes(member)).map((member) => `does not map ${member}`),
    ...mapped.filter((place) => !members.includes(place)).map((place) => `maps ${place}, which is not a member`),
    ...Object.entries(mapping).flatMap(([value, place]) => {
      const member = schemas[place.split('/').at(-1)!] ?? {};
      return isObjectOf(member, propertyName, value) ? [] : [`${place} is not an object of ${propertyName} ${value}`];
    }),
  ];
}

/** Returns whether a schema is one plain object that requires a property, and has this value among its values. */
function isObjectOf({ type, properties, required, oneOf, anyOf, allOf }: Schema, name: string, value: string): boolean {
  const property = properties?.[name] ?? {};
  const values = Array.isArray(property.enum) ? property.enum : [property.const];
  const isPlain = type === 'object' && !oneOf && !anyOf && !allOf;
  return isPlain && Array.isArray(required) && required.includes(name) && values.includes(value);
}
