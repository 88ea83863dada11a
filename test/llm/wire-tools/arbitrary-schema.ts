import fc from 'fast-check';

const NAMES = [
  'city',
  '$top',
  'filter[name]',
  'a b',
  '城市',
  '_top',
  '',
  '1st',
  'items',
  'required',
  'x'.repeat(70),
  'user-id',
];
const name = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...NAMES) }, fc.string());
const anything = fc.jsonValue({ maxDepth: 2 });
const type = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null') },
  { weight: 1, arbitrary: fc.constantFrom('any', 'String', 'dict', 'file', '', 6) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom('string', 'null', 'any', 'array'), { maxLength: 3 }) },
  { weight: 1, arbitrary: anything },
);
const pattern = fc.oneof(
  fc.constantFrom(
    '^a$',
    '^https\\:\\/\\/',
    '(?P<y>\\d)',
    '\\A\\w\\Z',
    '(?i)a',
    '(',
    '[[:alpha:]]',
    '\\p{L}',
    '(?<!a)b',
    'a\\',
  ),
  fc.string(),
);
const reference = fc.oneof(
  fc.constantFrom('#', '#/$defs/city', '#/properties/$top', '#/properties/filter[name]', '#/properties/city/items/0'),
  fc.constantFrom('https://example.com/x.json', 'x.json#/$defs/city', '#city', '#/nowhere', '#/%'),
);
const orAnything = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: anything });

const depth = fc.createDepthIdentifier();

const { schema } = fc.letrec((tie) => {
  const inner = fc.oneof({ maxDepth: 3, depthIdentifier: depth }, fc.constant({}), tie('schema'));
  const part = orAnything(inner);
  const parts = orAnything(fc.dictionary(name, part, { maxKeys: 3 }));
  const list = orAnything(fc.array(part, { maxLength: 2 }));
  const names = orAnything(fc.array(name, { maxLength: 3 }));
  const number = orAnything(fc.oneof(fc.integer(), fc.double(), fc.boolean()));
  const text = orAnything(fc.string());
  const flag = orAnything(fc.boolean());
  const fields: [string[], fc.Arbitrary<unknown>][] = [
    [['type', 'type'], type],
    [['properties', 'properties', '$defs', 'definitions', 'dependencies'], parts],
    [['items', 'not', 'if', 'then', 'contains', 'additionalItems', 'additionalProperties', 'propertyNames'], part],
    [['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'examples'], list],
    [['required', 'propertyOrdering', 'required'], names],
    [['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxLength'], number],
    [['title', 'description', 'format', '$comment'], text],
    [['nullable', 'uniqueItems', 'required', 'deprecated'], flag],
    [['enum'], orAnything(fc.array(anything, { maxLength: 3 }))],
    [['const', 'default'], anything],
    [['pattern'], orAnything(pattern)],
    [['patternProperties'], orAnything(fc.dictionary(pattern, part, { maxKeys: 2 }))],
    [['dependentRequired'], orAnything(fc.dictionary(name, names, { maxKeys: 2 }))],
    [['$ref', '$recursiveRef'], orAnything(reference)],
    [['$id', 'id'], orAnything(fc.constantFrom('https://example.com/x.json', 'x.v1', '#city'))],
    [['$schema', '$anchor'], orAnything(fc.constantFrom('http://json-schema.org/draft-04/schema#', 'city'))],
  ];
  const entries = fields.flatMap(([keys, value]) => keys.map((key) => value.map((each) => [key, each] as const)));
  return { schema: fc.array(fc.oneof(...entries), { maxLength: 6 }).map((given) => Object.fromEntries(given)) };
});

/** Any JSON object as the schema of a tool: mostly a schema that a developer could write. */
export const someSchema = fc.oneof(
  { weight: 9, arbitrary: schema },
  { weight: 1, arbitrary: fc.dictionary(fc.string(), anything) },
) as fc.Arbitrary<Record<string, unknown>>;

/** Arguments with these names at any depth. */
export const someArguments: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, anything, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 4 }),
})).object;
