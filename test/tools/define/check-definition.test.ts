import { expect, test } from 'vitest';
import { checkDefinitions } from '#core/tools/define/check.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { repeat } from '#test/harness/repeat.ts';

test('a valid tool has no problems', async () => {
  const problems = await checkDefinitions([tool({})], 'strict');

  expect(problems).toEqual([]);
});

test.for(['Weather', '1weather', '_weather', 'get-weather', 'get weather', '', 'a'.repeat(65)])(
  'the name %j is refused',
  async (name) => {
    const problems = await checkDefinitions([tool({ name })], 'strict');

    expect(problems).toMatchObject([{ path: 'tools[0].name', message: /lowercase letter/ }].map(matching));
  },
);

test('a name of 64 and a description of 10 or 500 characters are valid', async () => {
  const tools = [tool({ name: 'a'.repeat(64), description: 'x'.repeat(10) }), tool({ description: '🙂'.repeat(500) })];

  expect(await checkDefinitions(tools, 'strict')).toEqual([]);
});

test.for(['', 'too short', 'x'.repeat(501)])('the description %j is refused', async (description) => {
  const problems = await checkDefinitions([tool({ description })], 'strict');

  expect(problems).toMatchObject([{ path: 'tools[0].description' }]);
});

test('the relaxed rules allow only names and descriptions that providers take', async () => {
  const tools = [tool({ name: 'Get-Weather_2', description: '' }), tool({ name: 'get weather' })];

  const problems = await checkDefinitions(tools, 'provider');

  expect(problems).toMatchObject([{ path: 'tools[1].name' }]);
});

test('tools of MCP servers are checked by the relaxed rules only', async () => {
  const fromServer = tool({ name: 'Read-File', description: '', execution: { kind: 'mcp', server: 'files' } });

  expect(await checkDefinitions([fromServer], 'strict')).toEqual([]);
});

test('the second tool with the same name is refused', async () => {
  const problems = await checkDefinitions([tool({}), tool({ name: 'other' }), tool({})], 'strict');

  const message = `The name "${tool({}).name}" is already used by another tool. Give each tool its own name.`;
  expect(problems).toEqual([{ path: 'tools[2].name', message }]);
});

test('a required name that is not in properties is refused at any depth', async () => {
  const inner = { type: 'object', properties: { street: { type: 'string' } }, required: ['street', 'town'] };
  const parameters = {
    type: 'object',
    properties: { places: { type: 'array', items: inner } },
    required: ['places', 'when'],
  };

  const problems = await checkDefinitions([tool({ parameters })], 'strict');

  expect(problems).toEqual([
    { path: 'tools[0].parameters.required', message: 'Add "when" to properties, or do not require it.' },
    {
      path: 'tools[0].parameters.properties.places.items.required',
      message: 'Add "town" to properties, or do not require it.',
    },
  ]);
});

test('a branch of anyOf may require a property of the object around it', async () => {
  const parameters = {
    type: 'object',
    properties: { id: { type: 'string' }, name: { type: 'string' } },
    anyOf: [{ required: ['id'] }, { required: ['name'] }],
  };

  expect(await checkDefinitions([tool({ parameters })], 'strict')).toEqual([]);
});

test('a schema may have ten levels, and eleven levels are refused', async () => {
  const ten = await checkDefinitions([tool({ parameters: nested(10) })], 'strict');
  const eleven = await checkDefinitions([tool({ parameters: nested(11) })], 'strict');

  expect(ten).toEqual([]);
  expect(eleven).toMatchObject([{ message: 'Nest the schema at most 10 levels deep.' }]);
});

test('a schema with 50,000 levels is refused and not walked to its end', async () => {
  const parameters = Array.from({ length: 50_000 }).reduce<Record<string, unknown>>((inner) => ({ not: inner }), {
    type: 'object',
  });

  const problems = await checkDefinitions(
    [{ ...tool({}), parameters: { type: 'object', ...parameters } as never }],
    'strict',
  );

  expect(problems).toMatchObject([{ path: expect.stringMatching(/^tools\[0\]\.parameters/) }]);
});

test('a schema over 64 KiB is refused', async () => {
  const parameters = { type: 'object', properties: {}, $comment: 'x'.repeat(64 * 1024) };

  const problems = await checkDefinitions([tool({ parameters })], 'strict');

  expect(problems).toMatchObject([{ path: 'tools[0].parameters', message: /smaller than 64 KiB/ }].map(matching));
});

test.for([
  ['no type', { properties: {} }, 'Give a JSON Schema with "type": "object".'],
  ['another type', { type: 'array' }, 'Give a JSON Schema with "type": "object".'],
  ['an unknown type inside', { type: 'object', properties: { a: { type: 'strng' } } }, 'Give a valid JSON Schema'],
  ['a broken pattern', { type: 'object', properties: { a: { pattern: '(' } } }, 'Unterminated group'],
  [
    'an unknown draft',
    { $schema: 'http://json-schema.org/draft-03/schema#', type: 'object' },
    '2020-12 or an older draft',
  ],
  ['a reference to nothing', { type: 'object', properties: { a: { $ref: '#/$defs/b' } } }, "can't resolve reference"],
] as const)('a schema with %s is refused', async ([, parameters, sentence]) => {
  const problems = await checkDefinitions([tool({ parameters })], 'strict');

  expect(problems).toMatchObject([{ path: 'tools[0].parameters', message: expect.stringContaining(sentence) }]);
});

test('a remote reference is refused, a reference within the schema is valid', async () => {
  const remote = { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } };
  const local = { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } };

  const problems = await checkDefinitions(
    [tool({ parameters: remote }), tool({ name: 'b', parameters: local })],
    'strict',
  );

  expect(problems).toMatchObject([{ path: 'tools[0].parameters.properties.a.$ref' }]);
});

test.for([
  ['its root', { properties: { a: { $ref: '#' } } }],
  ['a definition', { properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { items: { $ref: '#/$defs/x' } } } }],
  ['its root from a definition', { properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { items: { $ref: '#' } } } }],
] as const)('a schema may refer to %s repeatedly, one level deeper each time', async ([, more]) => {
  const problems = await checkDefinitions([tool({ parameters: { type: 'object', ...more } })], 'strict');

  expect(problems).toEqual([]);
});

test.for([
  ['itself', { properties: { a: { $ref: '#/properties/a' } } }],
  ['itself, beside other rules', { properties: { a: { $ref: '#/properties/a', minLength: 3 } } }],
  ['itself as an alternative', { properties: { a: { anyOf: [{ type: 'string' }, { $ref: '#/properties/a' }] } } }],
  ['another schema that refers back', { properties: { a: { $ref: '#/properties/b' }, b: { $ref: '#/properties/a' } } }],
  ['its own root', { allOf: [{ $ref: '#' }] }],
] as const)('a schema that refers to %s without an end is refused', async ([, more]) => {
  const problems = await checkDefinitions([tool({ parameters: { type: 'object', ...more } })], 'strict');

  expect(problems).toMatchObject([
    { path: 'tools[0].parameters', message: expect.stringContaining('refers to itself without end') },
  ]);
});

test('only the first of several slow schemas is compiled, beside other work', async () => {
  const tools = Array.from({ length: 15 }, (_, n) => tool({ name: `tool_${n}`, parameters: manyPatterns(n) }));
  let turnsOfLoop = 0;
  const stop = repeat(() => (turnsOfLoop += 1), 1);

  const problems = await checkDefinitions(tools, 'strict', { enough: 1 });
  stop();

  expect(problems).toMatchObject([
    { path: 'tools[0].parameters', message: expect.stringContaining('make it smaller') },
  ]);
  expect(turnsOfLoop).toBeGreaterThan(10);
});

test('a property named __proto__ is refused', async () => {
  const parameters = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');

  const problems = await checkDefinitions([{ ...tool({}), parameters }], 'strict');

  expect(problems).toMatchObject([{ path: 'tools[0].parameters.properties' }]);
});

test.for([
  ['host', 'example.com'],
  ['Idempotency-Key', 'mine'],
  ['two words', 'x'],
  ['x-note', 'one\r\nx-evil: 1'],
] as const)('the header %s: %j of an HTTP tool is refused', async ([name, value]) => {
  const execution = { kind: 'http', url: 'https://example.com', headers: { [name]: value } };

  const problems = await checkDefinitions([tool({ execution })], 'strict');

  expect(problems).toMatchObject([{ path: `tools[0].execution.headers.${name}` }]);
});

test('headers of an HTTP tool that differ only in case are refused', async () => {
  const headers = { 'X-Team': 'blue', 'x-other': 'a', 'x-team': 'red' };

  const problems = await checkDefinitions(
    [tool({ execution: { kind: 'http', url: 'https://example.com', headers } })],
    'strict',
  );

  expect(problems).toMatchObject([{ path: 'tools[0].execution.headers.x-team' }]);
});

test('a cache that cannot be used is a problem, with effects or for clients', async () => {
  const found = async (fields: Record<string, unknown>) => {
    const problems = await checkDefinitions([tool({ cache_ttl_seconds: 1, ...fields })], 'strict');
    return problems.map(({ path }) => path);
  };

  expect(await found({ effect: 'idempotent', execution: { kind: 'server' } })).toEqual(['tools[0].cache_ttl_seconds']);
  expect(await found({})).toEqual(['tools[0].cache_ttl_seconds']);
  expect(await found({ effect: 'none', execution: { kind: 'client' } })).toEqual(['tools[0].cache_ttl_seconds']);
  expect(await found({ effect: 'none', execution: { kind: 'server' } })).toEqual([]);
});

function tool(fields: Record<string, unknown>): Tool {
  return Tool.parse({ name: 'get_weather', description: 'Get the weather of a city.', ...fields });
}

function nested(levels: number): Record<string, unknown> {
  const inner = levels > 1 ? nested(levels - 1) : { type: 'string' };
  return { type: 'object', properties: { a: inner } };
}

function manyPatterns(n: number): Record<string, unknown> {
  const oneOf = Array.from({ length: 2500 }, (_, index) => ({ pattern: `${n}x${index}` }));
  return { type: 'object', properties: { a: { oneOf } } };
}

function matching({ path, message }: { path: string; message: RegExp }): object {
  return { path, message: expect.stringMatching(message) };
}
