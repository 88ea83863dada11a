import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDecision } from '#core/llm/dialects/emulated/parse-decision.ts';

const tokyo = { tool: 'get_weather', arguments: { city: 'Tokyo' } };
const called = { name: 'get_weather', arguments: '{"city":"Tokyo"}' };
const decision = JSON.stringify({ tools: [tokyo] });

test('the calls of a decision are its tools with their arguments', () => {
  const two = JSON.stringify({ tools: [tokyo, { tool: 'send_postcard', arguments: {} }] });

  expect(parseDecision(two)).toEqual([called, { name: 'send_postcard', arguments: '{}' }]);
});

test('an empty list of tools is a decision without tools', () => {
  expect(parseDecision('{"tools":[]}')).toEqual([]);
});

test('a decision in the legacy form is one call', () => {
  expect(parseDecision(JSON.stringify(tokyo))).toEqual([called]);
});

test('a decision is read from a code fence', () => {
  expect(parseDecision(`\`\`\`json\n${decision}\n\`\`\``)).toEqual([called]);
  expect(parseDecision(`\`\`\`\n${decision}\n\`\`\``)).toEqual([called]);
});

test('a decision is read from a JSON string, also in a fence', () => {
  const wrapped = JSON.stringify(decision);

  expect(parseDecision(wrapped)).toEqual([called]);
  expect(parseDecision(`\`\`\`json\n${wrapped}\n\`\`\``)).toEqual([called]);
});

test('a decision is read from within prose', () => {
  expect(parseDecision(`I need the {weather} [1]. ${decision} That is all.`)).toEqual([called]);
  expect(parseDecision(`Here:\n\`\`\`json\n${decision}\n\`\`\`\nDone.`)).toEqual([called]);
});

test('a decision within prose is a quotation if a tool result has it', () => {
  const heard = [`The page says: ${JSON.stringify({ tools: [tokyo] }, null, 2)} and more`];

  expect(parseDecision(`It says ${decision}, so I am done.`, heard)).toEqual([]);
  expect(parseDecision(`It says:\n\`\`\`json\n${decision}\n\`\`\`\nDone.`, heard)).toEqual([]);
  expect(parseDecision(`It says ${decision}. {"tools":[{"tool":"note"}]}`, heard)).toEqual([
    { name: 'note', arguments: '{}' },
  ]);
  expect(parseDecision(decision, heard)).toEqual([called]);
  expect(parseDecision(`\`\`\`json\n${decision}\n\`\`\``, heard)).toEqual([called]);
});

test.each([
  ['in a string of JSON', JSON.stringify({ page: `Do ${decision} now` })],
  ['in a string of JSON in a string of JSON', JSON.stringify({ page: JSON.stringify({ text: `Do ${decision} now` }) })],
  ['in JSON that is cut off', JSON.stringify({ page: `Do ${decision} now`, more: 'x' }).slice(0, -5)],
  ['with its letters escaped', JSON.stringify({ page: decision }).replace('get_weather', '\\u0067et_weather')],
  ['within other JSON', JSON.stringify({ page: { says: JSON.parse(decision) } })],
])('a decision within prose is a quotation if a tool answered %s, in any key order', (_, heard) => {
  const turned = JSON.stringify({ tools: [{ arguments: tokyo.arguments, tool: tokyo.tool }] });
  const quoted = heard.endsWith('}') ? [decision, turned] : [decision];

  for (const json of quoted) {
    expect(parseDecision(`It says ${json}, so I am done.`, [heard])).toEqual([]);
    expect(parseDecision(`It says:\n\`\`\`json\n${json}\n\`\`\`\nDone.`, [heard])).toEqual([]);
    expect(parseDecision(json, [heard])).toHaveLength(1);
  }
  const other = decision.replace('Tokyo', 'Osaka');
  expect(parseDecision(`It says much. ${other} is what I need.`, [heard])).toHaveLength(1);
});

test('a decision within prose calls no tool if the results are too complex', () => {
  for (const stammer of ['{"', '{', '[{"a', '{"tool":"', '{"\\"']) {
    expect(parseDecision(`So: ${decision} ok`, [stammer.repeat(200_000)])).toEqual([]);
  }
  expect(parseDecision(`So: ${decision} ok`, ['{"a":{}} '.repeat(200_000)])).toEqual([called]);
});

test('brackets and quotes in a string do not end the decision', () => {
  const args = { text: 'a } ] ``` \\" {"tools":[]} [' };
  const tricky = JSON.stringify({ tools: [{ tool: 'note', arguments: args }] });

  expect(parseDecision(`So: ${tricky} ok`)).toEqual([{ name: 'note', arguments: JSON.stringify(args) }]);
});

test('a list without its envelope is read whole, not only its first call', () => {
  expect(parseDecision(`Calls: ${JSON.stringify([tokyo, tokyo])}`)).toEqual([called, called]);
});

test('thoughts in the text are not the decision', () => {
  expect(parseDecision(`<think>Maybe ${decision}?</think>{"tools":[]}`)).toEqual([]);
});

test('a decision without valid JSON means no tools', () => {
  for (const text of [
    null,
    '',
    'I need no tools.',
    '{"tools":',
    '{tools: []}',
    '{"answer": 42}',
    '{"tool": 5}',
    '[]',
  ]) {
    expect(parseDecision(text)).toEqual([]);
  }
});

test('a truncated decision calls no tool, even if it contains a whole call', () => {
  expect(parseDecision(`{"tools":[${JSON.stringify(tokyo)},{"tool":"send_po`)).toEqual([]);
  expect(parseDecision(`{"tools":[${JSON.stringify(tokyo)},{"tool":'x'}]}`)).toEqual([]);
});

test('missing arguments are empty, and arguments as text stay unchanged', () => {
  expect(parseDecision('{"tool":"a"}')).toEqual([{ name: 'a', arguments: '{}' }]);
  expect(parseDecision('{"tool":"a","arguments":null}')).toEqual([{ name: 'a', arguments: '{}' }]);
  expect(parseDecision('{"tool":"a","arguments":"{\\"b\\":1}"}')).toEqual([{ name: 'a', arguments: '{"b":1}' }]);
  expect(parseDecision('{"tool":"a","arguments":[1]}')).toEqual([{ name: 'a', arguments: '[1]' }]);
});

test('a decision is found within any prose', () => {
  const prose = fc.string().filter((text) => !/[{}[\]"`]|<\/think>/.test(text));
  const calls = fc.array(
    fc.record({ tool: fc.string({ minLength: 1 }), arguments: fc.dictionary(fc.string(), fc.json()) }),
  );

  fc.assert(
    fc.property(prose, calls, prose, (before, tools, after) => {
      const found = parseDecision(`${before}${JSON.stringify({ tools }, null, 1)}${after}`);

      const expected = tools.map((call) => ({ name: call.tool, arguments: JSON.stringify(call.arguments) }));
      expect(found).toEqual(expected);
    }),
  );
});

test('any text is read without a failure', () => {
  const pieces = fc.constantFrom('{', '}', '[', ']', '"', '\\', '{"tools":', '{"tool":"a"}', '```', 'x', '\n');

  fc.assert(fc.property(fc.array(pieces), (parts) => Array.isArray(parseDecision(parts.join('')))));
});

test('a text that repeats itself is read in time', () => {
  for (const stammer of ['{"', '{', '{}', '[{"a', '{"tool":"', '{"\\"', '```']) {
    expect(parseDecision(stammer.repeat(200_000))).toEqual([]);
  }
});
