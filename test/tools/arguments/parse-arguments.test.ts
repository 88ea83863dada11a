import { expect, test } from 'vitest';
import { parseArguments } from '#core/tools/arguments/prepare-call.ts';

const WEATHER = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    unit: { enum: ['celsius', 'fahrenheit'] },
    days: { type: 'array', items: { type: 'object', properties: { at: { type: 'string', format: 'date' } } } },
  },
  required: ['city'],
  additionalProperties: false,
};

test('valid arguments are returned unchanged', async () => {
  const parsed = await parse('{"city":"Tokyo","days":[{"at":"2026-11-20"}]}', WEATHER);

  expect(parsed).toEqual({ ok: true, value: { city: 'Tokyo', days: [{ at: '2026-11-20' }] } });
});

test('empty text means no arguments', async () => {
  expect(await parse(' \n', { type: 'object' })).toEqual({ ok: true, value: {} });
});

test('the path of every violation is in the details', async () => {
  const parsed = await parse('{"unit":"kelvin","days":[{"at":"soon"}],"extra":1}', WEATHER);

  expect(parsed).toMatchObject({
    ok: false,
    error: {
      category: 'invalid_arguments',
      details: {
        city: 'is required',
        unit: 'must be one of "celsius", "fahrenheit"',
        'days[0].at': 'must match format "date"',
        extra: 'is not a known property',
      },
    },
  });
});

test('the message names the path and the expected type', async () => {
  expect(await messageFor('{"city":7}', WEATHER)).toBe('The arguments do not fit the tool. city: must be string');
});

test('at most twenty violations are listed, and the rest is counted', async () => {
  const schema = { type: 'object', additionalProperties: { type: 'string' } };
  const args = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`p${index}`, index]));

  const message = await messageFor(JSON.stringify(args), schema);

  expect(message).toContain('p19: must be string');
  expect(message).not.toContain('p20: must be string');
  expect(message).toContain('and 5 more');
});

test.for(['{"city":', '[1]', '"text"', 'null', '7', '{"city":"Tokyo"} {}'])(
  'the text %j is refused because it is not a JSON object',
  async (text) => {
    expect(await messageFor(text, { type: 'object' })).toBe('Send the arguments as one JSON object.');
  },
);

test.for(['{"__proto__":{"admin":true}}', '{"a":[{"__proto__":1}]}', '{"constructor":{"prototype":{"admin":true}}}'])(
  'the arguments %s cannot change a prototype',
  async (text) => {
    expect(await messageFor(text, { type: 'object' })).toContain('is not a name for a property');
    expect({}).not.toHaveProperty('admin');
  },
);

test('a property of the prototype does not count as given', async () => {
  const schema = { type: 'object', properties: { toString: { type: 'string' } }, required: ['toString'] };

  expect(await messageFor('{}', schema)).toContain('toString: is required');
});

test('arguments of more than 100 levels are refused', async () => {
  const text = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;

  expect(await messageFor(text, { type: 'object' })).toContain('nested more than 100 levels deep');
});

test('a pattern that backtracks without end is stopped', async () => {
  const schema = { type: 'object', properties: { name: { type: 'string', pattern: '^(a+)+$' } } };

  const message = await messageFor(JSON.stringify({ name: `${'a'.repeat(50)}!` }), schema);

  expect(message).toContain('took too long to check');
});

test('a schema that doubles its work at each level is stopped', async () => {
  const twice = { anyOf: [{ $ref: '#/$defs/twice' }, { $ref: '#/$defs/twice' }] };
  const schema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/twice' } },
    $defs: { twice: { type: 'array', items: twice } },
  };
  const text = `{"a":${'['.repeat(60)}7${']'.repeat(60)}}`;

  expect(await messageFor(text, schema)).toContain('took too long to check');
});

test('a recursive schema is checked at every depth', async () => {
  const schema = { type: 'object', properties: { name: { type: 'string' }, inner: { $ref: '#' } } };

  expect(await parse('{"inner":{"inner":{"name":"Ada"}}}', schema)).toMatchObject({ ok: true });
  expect(await messageFor('{"inner":{"inner":{"name":7}}}', schema)).toContain('inner.inner.name: must be string');
});

test('a schema is read as draft-07 if $schema says so', async () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } },
  };

  expect(await parse('{"pair":["a",1]}', schema)).toMatchObject({ ok: true });
  expect(await messageFor('{"pair":["a","b"]}', schema)).toContain('pair[1]: must be number');
});

test('a schema is read as 2020-12 by default', async () => {
  const schema = { type: 'object', properties: { pair: { type: 'array', prefixItems: [{ type: 'string' }] } } };

  expect(await messageFor('{"pair":[1]}', schema)).toContain('pair[0]: must be string');
});

test('a schema cannot make its check asynchronous, nor replace another by its $id', async () => {
  const asynchronous = { $async: true, type: 'object', properties: { a: { type: 'string' } } };
  const posing = { ...asynchronous, $id: 'https://json-schema.org/draft/2020-12/schema' };

  expect(await messageFor('{"a":1}', asynchronous)).toContain('a: must be string');
  expect(await messageFor('{"a":1}', posing)).toContain('a: must be string');
  expect(await messageFor('{"city":7}', WEATHER)).toContain('city: must be string');
});

test('a call with an unusable schema is answered with an error', async () => {
  expect(await messageFor('{}', { type: 'object', properties: { a: { type: 'strng' } } })).toContain(
    'schema: cannot be used',
  );
});

function parse(text: string, schema: Record<string, unknown>) {
  return parseArguments(text, schema, 'default');
}

async function messageFor(text: string, schema: Record<string, unknown>): Promise<string | undefined> {
  const parsed = await parse(text, schema);
  return parsed.ok ? undefined : parsed.error.message;
}
