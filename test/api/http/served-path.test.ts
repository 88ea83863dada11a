import { expect, test } from 'vitest';
import { servedPath } from '#services/api/http/response-base.ts';

const SDK = { 'x-stainless-lang': 'js' };
const pathOf = (method: string, path: string, headers: Record<string, string>) =>
  servedPath(new Request(`http://localhost${path}`, { method, headers }));

test.each([
  { 'user-agent': 'OpenAI/JS 7.55.0' },
  { 'user-agent': 'OpenAI/Python 3.22.1' },
  { 'user-agent': 'AsyncOpenAI/Python 3.22.1' },
  { 'user-agent': 'AzureOpenAI/Python 3.22.1' },
  { 'user-agent': 'AsyncAzureOpenAI/Python 3.22.1' },
  { 'user-agent': 'OpenAI::Client/Ruby 0.30.0' },
  { 'user-agent': 'OpenAI/2.1.0 (.NET 8.0.6)' },
  { 'user-agent': 'Agents/JavaScript 0.9.0', 'x-stainless-lang': 'js' },
  { 'user-agent': 'Mozilla/5.0', 'x-stainless-runtime': 'browser:chrome' },
])('the request of an OpenAI client is served below /openai/v1: %o', (headers) => {
  expect(pathOf('GET', '/v1/models', headers as Record<string, string>)).toBe('/openai/v1/models');
});

test.each([
  {},
  { 'user-agent': 'node' },
  { 'user-agent': 'curl/8.5.0' },
  { 'user-agent': 'ai-sdk/openai/3.0.0' },
  { 'user-agent': 'Mozilla/5.0 (compatible; OpenAI/1.0)' },
  { 'user-agent': 'OpenAIlike/1.0' },
])('the request of any other client keeps its path: %o', (headers) => {
  expect(pathOf('GET', '/v1/models', headers as Record<string, string>)).toBe('/v1/models');
});

test.each([
  ['POST', '/v1/conversations'],
  ['GET', '/v1/conversations/conv_1'],
  ['POST', '/v1/conversations/conv_1'],
  ['DELETE', '/v1/conversations/conv_1'],
  ['PUT', '/v1/conversations/conv_1'],
  ['POST', '/v1/conversations/conv_1/items'],
  ['GET', '/v1/conversations/conv_1/items?limit=2'],
  ['DELETE', '/v1/conversations/conv_1/items/msg_1'],
  ['GET', '/v1/models'],
  ['HEAD', '/v1/models'],
  ['GET', '/v1/models/sim%2Fdemo'],
  ['GET', '/v1/models/sim/demo'],
])('an OpenAI operation that /v1 serves in another shape is mapped: %s %s', (method, path) => {
  expect(pathOf(method, path, SDK)).toBe(`/openai${path.replace(/\?.*/, '')}`);
});

test.each([
  ['GET', '/v1/conversations'],
  ['HEAD', '/v1/conversations'],
  ['PATCH', '/v1/conversations/conv_1'],
  ['POST', '/v1/conversations/conv_1/turns'],
  ['GET', '/v1/conversations/conv_1/messages'],
  ['GET', '/v1/conversations/conv_1/ui-stream'],
  ['GET', '/v1/conversations/conv_1/items/msg_1/more'],
  ['GET', '/v1/turns/turn_1'],
  ['POST', '/v1/responses'],
  ['GET', '/v1/modelsets'],
  ['GET', '/openai/v1/models'],
  ['GET', '/healthz'],
])('an operation of Pawl alone, or of one shape, keeps its path: %s %s', (method, path) => {
  expect(pathOf(method, path, SDK)).toBe(path);
});
