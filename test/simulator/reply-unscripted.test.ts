import { Ajv } from 'ajv';
import { expect } from 'vitest';
import { exampleAnswer, exampleArguments } from '#simulator/example-answer.ts';
import { getWeather, test } from './ask-simulator.ts';

const getTime = { type: 'function' as const, function: { name: 'get_time', parameters: { type: 'object' } } };
const tools = [getWeather, getTime];

test('the model quotes the input of the user if it has no tools', async ({ model }) => {
  const completion = await model.complete({});

  expect(completion.choices[0]?.message.content).toBe('You said: "Hi".');
});

test('the model with tools calls each tool once, then quotes the results', async ({ model }) => {
  const first = (await model.complete({ tools })).choices[0]!.message;
  const calls = first.tool_calls ?? [];
  const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: `result of ${id}` }));
  const second = await model.complete({ tools, messages: [{ role: 'user', content: 'Hi' }, first, ...results] });

  expect(first.content).toBe('Let me use 2 tools.');
  expect(calls.map((call) => call.type === 'function' && call.function)).toEqual([
    { name: 'get_weather', arguments: '{"city":"city"}' },
    { name: 'get_time', arguments: '{}' },
  ]);
  expect(second.choices[0]?.message.content).toBe(
    `You said: "Hi". The tools answered: result of ${calls[0]?.id}\nresult of ${calls[1]?.id}`,
  );
});

test('the model respects the tool choice', async ({ model }) => {
  const names = async (more: object) => {
    const completion = await model.complete({ tools, ...more });
    return completion.choices[0]?.message.tool_calls?.map((call) => call.type === 'function' && call.function.name);
  };

  expect(await names({ tool_choice: 'none' })).toBeUndefined();
  expect(await names({ tool_choice: 'required' })).toEqual(['get_weather', 'get_time']);
  expect(await names({ tool_choice: { type: 'function', function: { name: 'get_time' } } })).toEqual(['get_time']);
  expect(await names({ parallel_tool_calls: false })).toEqual(['get_weather']);
});

test('arguments are generated from the schema', () => {
  const schema = {
    type: 'object',
    $defs: { unit: { enum: ['celsius', 'kelvin'] } },
    properties: {
      city: { type: 'string', examples: ['Tokyo'] },
      unit: { $ref: '#/$defs/unit' },
      days: { type: 'integer', minimum: 3 },
      exact: { type: 'boolean' },
      lang: { type: ['string', 'null'], default: 'en' },
      tags: { type: 'array', items: { type: 'string' } },
      place: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
      either: { anyOf: [{ const: 'x' }, { type: 'null' }] },
      optional: { type: 'string' },
    },
    required: ['city', 'unit', 'days', 'exact', 'lang', 'tags', 'place', 'either'],
  };

  expect(exampleArguments(schema)).toEqual({
    city: 'Tokyo',
    unit: 'celsius',
    days: 3,
    exact: true,
    lang: 'en',
    tags: ['tags'],
    place: { lat: 1 },
    either: 'x',
  });
});

const text = { type: 'string' };
const toSelf = { $ref: '#' };
const open = (properties: Record<string, unknown>) => ({
  ...{ type: 'object', properties, required: Object.keys(properties) },
});
const closed = (properties: Record<string, unknown>) => ({ ...open(properties), additionalProperties: false });

test.each([
  ['a list', closed({ value: text, next: { anyOf: [toSelf, { type: 'null' }] } }), { value: 'value', next: null }],
  ['a tree', closed({ name: text, children: { type: 'array', items: toSelf } }), { name: 'name', children: [] }],
  [
    'a tree of definitions',
    {
      ...closed({ root: { $ref: '#/$defs/node' } }),
      $defs: {
        node: closed({ kind: { $ref: '#/$defs/kind' }, parts: { type: 'array', items: { $ref: '#/$defs/node' } } }),
        kind: { enum: ['folder', 'file'] },
      },
    },
    { root: { kind: 'folder', parts: [] } },
  ],
  [
    'an expression that contains itself in its first form',
    {
      $ref: '#/$defs/term',
      $defs: {
        term: { anyOf: [{ $ref: '#/$defs/sum' }, closed({ value: { type: 'number' } })] },
        sum: closed({ left: { $ref: '#/$defs/term' }, right: { $ref: '#/$defs/term' } }),
      },
    },
    { value: 1 },
  ],
  [
    'an object or null, by its types',
    closed({ parent: { type: ['object', 'null'], properties: { parent: toSelf }, required: ['parent'] } }),
    { parent: null },
  ],
  [
    'a form of an object beside its own properties',
    { ...open({ id: text }), anyOf: [{ properties: { self: toSelf }, required: ['self'] }, { required: ['id'] }] },
    { id: 'id' },
  ],
  [
    'all of several objects',
    { allOf: [open({ a: text }), { properties: { b: { type: 'boolean' } }, required: ['b'] }] },
    { a: 'a', b: true },
  ],
])('a generated answer fits its schema: %s', (_, schema, expected) => {
  const format = { type: 'json_schema' as const, json_schema: { name: 'answer', schema } };

  const answer = JSON.parse(exampleAnswer(format, 'Hi'));

  expect(answer).toEqual(expected);
  expect(new Ajv({ strict: false }).validate(schema, answer)).toBe(true);
  expect(exampleArguments(schema)).toEqual(expected);
});

test('a schema without a finite value gets an example nevertheless', () => {
  expect(exampleArguments(closed({ self: toSelf }))).toEqual({});
});
