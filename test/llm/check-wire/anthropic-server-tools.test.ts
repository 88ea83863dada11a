import { expect, test } from 'vitest';
import { checkAnthropic } from './anthropic.ts';
import { sealsIn } from './anthropic-server-tools.ts';

const user = (...content: object[]) => ({ role: 'user', content });
const model = (...content: object[]) => ({ role: 'assistant', content });
const text = { type: 'text', text: 'Hi' };
const use = (name = 'web_search', more: object = {}) => ({
  ...{ type: 'server_tool_use', id: 's', name, input: {} },
  ...more,
});
const found = (encrypted_content = 'sealed') => ({
  ...{ type: 'web_search_tool_result', tool_use_id: 's' },
  content: [{ type: 'web_search_result', url: 'u', title: 'T', encrypted_content }],
});
const call = { type: 'tool_use', id: 'a', name: 'f', input: {} };
const result = { type: 'tool_result', tool_use_id: 'a', content: 'x' };
const search = { type: 'web_search_20260318', name: 'web_search' };
const tools = [{ name: 'f', input_schema: { type: 'object' } }, search];
const body = (messages: object[], more: object = {}) => ({
  ...{ model: 'claude', max_tokens: 1, stream: true, tools, messages },
  ...more,
});
const refusalOf = (request: object) => checkAnthropic(request).join('; ');

test('Anthropic takes server tools with their calls and results', () => {
  const pending = [user(text), model(use(), call), user(result)];

  expect(refusalOf(body([user(text), model(use(), found(), text), user(text)]))).toBe('');
  expect(refusalOf(body(pending))).toBe('');
  expect(refusalOf(body([...pending, model(found(), text), user(text)]))).toBe('');
  expect(refusalOf(body([user(text), model(text, use())]))).toBe('');
});

test.for([
  ['a tool without its name', body([user(text)], { tools: [{ type: 'web_search_20260318' }] }), /Input should be/],
  ['a wrong name', body([user(text)], { tools: [{ ...search, name: 'search' }] }), /Input should be 'web_search'/],
  ['an unknown version', body([user(text)], { tools: [{ ...search, type: 'web_search_20990101' }] }), /Input tag/],
  ['a result without its call', body([user(text), model(found(), text), user(text)]), /unexpected `tool_use_id`/],
  ['words before a result', body([user(text), model(use(), call), user(result, text)]), /without a corresponding/],
  ['an empty seal', body([user(text), model(use(), found(''), text), user(text)]), /Invalid `encrypted_content`/],
  [
    'code without its container',
    body([user(text), model(use('code_execution'), call), user(result)]),
    /container_id is required/,
  ],
  ['a container without a tool', body([user(text)], { tools: undefined, container: 'c' }), /a container without/],
  [
    'a caller that is not there',
    body([user(text), model({ ...call, caller: { type: 'code_execution_20260120', tool_id: 's' } }), user(result)]),
    /the caller s/,
  ],
  [
    'five cache marks',
    body([user(...Array.from({ length: 5 }, () => ({ ...text, cache_control: { type: 'ephemeral' } })))]),
    /Found 5/,
  ],
] as const)('Anthropic refuses server tools with %s', ([, request, refusal]) => {
  expect(refusalOf(request)).toMatch(refusal);
});

test('the encrypted texts of server tools are found in JSON', () => {
  const json = JSON.stringify([found('a"b'), { encrypted_index: 'i' }, { encrypted_stdout: 'o', url: 'u' }]);

  expect(sealsIn(json)).toEqual(['a\\"b', 'i', 'o']);
});
