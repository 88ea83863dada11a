import { expect, test } from 'vitest';
import { checkAnthropic } from '#test/llm/check-wire/anthropic.ts';
import { checkGemini } from '#test/llm/check-wire/gemini.ts';
import { checkOpenai } from '#test/llm/check-wire/openai.ts';
import {
  checkAlternate,
  checkMistralOrder,
  checkNeighbours,
  checkSystemFirst,
  checkUserOnly,
} from '#test/llm/check-wire/openai-roles.ts';

const call = (id: string) => ({ id, type: 'function', function: { name: 'get_weather', arguments: '{}' } });
const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: '15°C' });
const user = { role: 'user', content: 'Hi' };
const round = { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] };
const chat = (...messages: object[]) => ({ model: 'm', stream: true, messages });

test.for([
  [[user, round, answer('a')], 'the call b is not answered'],
  [[user, round, answer('a'), answer('b'), answer('b')], 'the call b is answered twice'],
  [[user, round, answer('a'), user, answer('b')], 'the call b is not answered'],
  [[user, answer('a')], 'a result without a call'],
  [[user, round, answer('a'), answer('b'), user, answer('a')], 'a result without a call'],
  [[user, { role: 'assistant', content: '' }], 'an assistant without text and calls'],
  [[user, { role: 'assistant', content: null, tool_calls: [call('x'.repeat(41))] }], 'the id xxx'],
  [[{ role: 'user', content: '' }], 'a user message without content'],
  [[{ role: 'function', content: 'x' }], 'the role function'],
] as const)('chat completions: a request is refused for %j', ([messages, problem]) => {
  expect(checkOpenai(chat(user, round, answer('b'), answer('a'), { role: 'assistant', content: 'Done' }))).toEqual([]);
  expect(checkOpenai(chat(...messages)).join('; ')).toContain(problem);
});

const roles = (spoken: string) => {
  const of = (role: string) => (role === 'calls' ? { role: 'assistant', tool_calls: [{}] } : { role });
  return spoken.split(' ').map(of);
};

test.each([
  ['neighbours', checkNeighbours, 'system user assistant system user', 'system user user'],
  ['neighbours', checkNeighbours, 'user assistant', 'system system user'],
  ['system first', checkSystemFirst, 'system user assistant user', 'system user assistant system user'],
  ['alternate', checkAlternate, 'system user calls tool tool assistant user', 'user calls tool user'],
  ['alternate', checkAlternate, 'user calls tool calls tool', 'user assistant'],
  ['alternate', checkAlternate, 'user assistant user', 'system assistant user'],
  ['alternate', checkAlternate, 'user', 'user assistant system user'],
  ['user only', checkUserOnly, 'user assistant user', 'system user'],
  ['Mistral', checkMistralOrder, 'system user calls tool assistant user', 'user calls tool user'],
  ['Mistral', checkMistralOrder, 'user system user', 'user assistant system user'],
  ['Mistral', checkMistralOrder, 'user calls tool', 'user assistant'],
] as const)('roles: a request is refused by the role order of %s', (_, check, right, wrong) => {
  expect(check(roles(right))).toEqual([]);
  expect(check(roles(wrong))).not.toEqual([]);
});

const text = (words: string) => ({ type: 'text', text: words });
const use = (id: string) => ({ type: 'tool_use', id, name: 'get_weather', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: '15°C' });
const from = (role: string, ...content: object[]) => ({ role, content });
const tools = [{ name: 'get_weather', input_schema: { type: 'object' } }];
const letter = (...messages: object[]) => ({ model: 'm', max_tokens: 9, stream: true, tools, messages });
const said = from('user', text('Hi'));
const calls = from('assistant', text('Hm'), use('a'), use('b'));

test.for([
  [[said, calls, from('user', result('a'))], 'the call b is not answered'],
  [[said, calls, from('user', result('a'), result('b'), result('b'))], 'the call b is answered twice'],
  [[said, calls, from('user', result('a'), text('And?'), result('b'))], 'words before the results'],
  [[said, calls, from('user', result('a')), from('user', result('b'))], 'user out of turn'],
  [[said, calls], 'calls at the end'],
  [[from('user', result('a'))], 'the result a without a call'],
  [
    [said, from('assistant', use('a')), from('user', result('a')), from('assistant', use('a'))],
    'two calls with the id a',
  ],
  [[said, from('assistant', text(' '))], 'a blank text'],
  [[said, from('assistant', text('Hm '))], 'a prefill that ends in white space'],
  [[from('assistant', text('Hi'))], 'assistant out of turn'],
  [[said, from('assistant', { type: 'thinking', thinking: 'Hm', signature: '' }, text('Hm'))], 'unsigned'],
] as const)('messages: a request is refused for %j', ([messages, problem]) => {
  expect(checkAnthropic(letter(said, calls, from('user', result('b'), result('a'), text('And?'))))).toEqual([]);
  expect(checkAnthropic(letter(...messages)).join('; ')).toContain(problem);
  expect(checkAnthropic({ ...letter(said, calls, from('user', result('a'), result('b'))), tools: undefined })).toEqual([
    'calls in the history, and no tools declared',
  ]);
});

const functionCall = { name: 'get_weather', args: {} };
const functionResponse = { name: 'get_weather', response: { result: 'ok' } };
const parts = (role: string, ...parts: object[]) => ({ role, parts });
const hi = parts('user', { text: 'Hi' });
const asks = parts('model', { functionCall, thoughtSignature: 's' }, { functionCall });
const both = parts('user', { functionResponse }, { functionResponse });
const declared = [{ functionDeclarations: [{ name: 'get_weather' }] }];
const content = (...contents: object[]) => ({ contents, tools: declared });

test.for([
  [[hi, asks, parts('user', { functionResponse })], '1 responses to 2 calls'],
  [
    [hi, asks, parts('user', { functionResponse }, { text: 'And?' }, { functionResponse })],
    'words before the responses',
  ],
  [[hi, asks], 'the model speaks last'],
  [[hi, parts('user', { functionResponse })], 'user out of turn'],
  [[hi, parts('model', { functionCall }), parts('user', { functionResponse })], 'a call of this turn, unsigned'],
  [[hi, parts('model'), hi], 'no parts'],
  [[hi, parts('model', { text: '' }), hi], 'an empty text'],
  [[hi, parts('model', { text: 'Hm', functionCall }), hi], 'a part with text and functionCall'],
  [[hi, parts('model', { functionCall: { name: '1st', args: {} } }), both], 'the name 1st'],
  [
    [hi, parts('model', { functionCall: { ...functionCall, id: 'a' } }), parts('user', { functionResponse })],
    'other ids',
  ],
] as const)('generateContent: a request is refused for %j', ([contents, problem]) => {
  expect(checkGemini(content(hi, asks, both), 'gemini-3-pro')).toEqual([]);
  expect(checkGemini(content(...contents), 'gemini-3-pro').join('; ')).toContain(problem);
});

const search = { googleSearch: {} };
const shown = { functionCallingConfig: { mode: 'VALIDATED' }, includeServerSideToolInvocations: true };
const toolCall = { id: 'a', toolType: 'GOOGLE_SEARCH_WEB' };
const searched = parts('model', { toolCall, thoughtSignature: 's' }, { toolResponse: toolCall }, { text: 'So.' });

test.for([
  [{ toolConfig: {} }, 'include_server_side_tool_invocations'],
  [{ toolConfig: { includeServerSideToolInvocations: true } }, 'the mode AUTO'],
  [{ tools: [search] }, 'a calling mode without tools'],
  [
    { contents: [hi, parts('model', { toolCall }), parts('user', { inlineData: {} })] },
    'a call of this turn, unsigned',
  ],
  [{ contents: [hi, parts('model', { toolResponse: toolCall }), hi] }, 'without its call'],
] as const)('generateContent: a request with hosted tools is refused for %j', ([change, problem]) => {
  const request = { contents: [hi, searched, hi], tools: [...declared, search], toolConfig: shown };

  expect(checkGemini(request, 'gemini-3-pro')).toEqual([]);
  expect(checkGemini(request, 'gemini-2.5-pro')).toEqual(['Tool use with function calling is unsupported']);
  expect(checkGemini({ ...request, ...change }, 'gemini-3-pro').join('; ')).toContain(problem);
});

const object = { type: 'object', properties: { days: { type: 'integer', minimum: 1 } } };
const format = (strict: boolean) => ({ type: 'json_schema', json_schema: { name: 'trip', strict, schema: object } });
const output_config = { format: { type: 'json_schema', schema: object } };

test.for([
  ['texts to stop at', checkOpenai({ ...chat(user), stop: [] })],
  ['the seed 0.5', checkOpenai({ ...chat(user), seed: 0.5 })],
  ['an open object in a strict schema', checkOpenai({ ...chat(user), response_format: format(true) })],
  ['a seed', checkAnthropic({ ...letter(said), seed: 7 })],
  ['a blank text to stop at', checkAnthropic({ ...letter(said), stop_sequences: [' '] })],
  ['a schema with bounds', checkAnthropic({ ...letter(said), output_config })],
  ['an open object', checkAnthropic({ ...letter(said), output_config })],
] as const)('the form of an answer is refused for %s', ([problem, found]) => {
  expect(found).toContain(problem);
});
