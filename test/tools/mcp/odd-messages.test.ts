import { expect, test } from 'vitest';
import { type McpExchange, openScriptedMcpServer } from './scripted-server.ts';
import { callMcpTool, useMcpServers } from './use-mcp-servers.ts';

const content = [{ type: 'text', text: 'hello' }];
const result = { content };
const refusal = { code: -32_602, message: 'no such city' };

/** Calls a tool of a server that answers with this text. Calls it again if the answer counts as lost. */
async function useAnswer(write: (id: number) => string, type = 'application/json') {
  const onCall = ({ response, message }: McpExchange) =>
    response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(write(message.id));
  await using server = await openScriptedMcpServer({ hasSessions: false, onCall });
  await using servers = useMcpServers({ scripted: { url: server.url } });
  const retry = { max_attempts: 3, backoff_ms: 0 };
  const answer = await callMcpTool(servers, 'scripted__look_up', { retry });
  return { ...answer, calls: server.seen.calls };
}

const asEvent = (json: string) => `event: message\ndata: ${json}\n\n`;

type Odd = [string, (id: number) => unknown];
const answered: Odd[] = [
  ['an error that is null', (id) => ({ jsonrpc: '2.0', id, result, error: null })],
  ['an empty error', (id) => ({ jsonrpc: '2.0', id, result, error: {} })],
  ['a result before the id and an error that is null', (id) => ({ result, jsonrpc: '2.0', id, error: null })],
  ['no version', (id) => ({ id, result })],
  ['further fields', (id) => ({ jsonrpc: '2.0', id, result, method: null, params: null, time: 1 })],
  ['an id that is a text', (id) => ({ jsonrpc: '2.0', id: String(id), result })],
  ['an id that is null', () => ({ jsonrpc: '2.0', id: null, result })],
  ['meta that is a list', (id) => ({ jsonrpc: '2.0', id, result: { ...result, _meta: [] } })],
  ['meta that is a text, first', (id) => ({ jsonrpc: '2.0', id, result: { _meta: '', ...result } })],
  ['a result that is a text', (id) => ({ jsonrpc: '2.0', id, result: 'hello' })],
  ['a result that is a list', (id) => ({ jsonrpc: '2.0', id, result: content })],
];
const refused: Odd[] = [
  ['a code that is a text', (id) => ({ jsonrpc: '2.0', id, error: { ...refusal, code: '-32602' } })],
  ['a code that is a word', (id) => ({ jsonrpc: '2.0', id, error: { ...refusal, code: 'E_CITY' } })],
  ['no code', (id) => ({ jsonrpc: '2.0', id, error: { message: refusal.message } })],
  ['a text alone', (id) => ({ jsonrpc: '2.0', id, error: refusal.message })],
  ['a result that is null', (id) => ({ jsonrpc: '2.0', id, result: null, error: refusal })],
  ['an id that is null', () => ({ jsonrpc: '2.0', id: null, error: refusal })],
];

test.each(answered)('an answer with %s is read, and the tool is called once', async (_, answer) => {
  const json = await useAnswer((id) => JSON.stringify(answer(id)));
  const event = await useAnswer((id) => asEvent(JSON.stringify(answer(id))), 'text/event-stream');

  expect(json).toMatchObject({ content: 'hello', calls: 1 });
  expect(event).toMatchObject({ content: 'hello', calls: 1 });
});

test.each(refused)('an error with %s reaches the model, and the tool is called once', async (_, answer) => {
  const json = await useAnswer((id) => JSON.stringify(answer(id)));
  const event = await useAnswer((id) => asEvent(JSON.stringify(answer(id))), 'text/event-stream');

  expect(json).toMatchObject({ error: { message: refusal.message }, calls: 1 });
  expect(event).toMatchObject({ error: { message: refusal.message }, calls: 1 });
});

const good = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, result });
const pretty = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, result }, null, 2).replaceAll('\n', '\n\n');

test.each<[string, string, (id: number) => string]>([
  ['JSON without a type', '', good],
  ['JSON as text/plain', 'text/plain', good],
  ['JSON as a stream', 'text/event-stream', good],
  ['JSON with empty lines as a stream', 'text/event-stream', pretty],
  ['a stream as JSON', 'application/json', (id) => asEvent(good(id))],
  ['a stream without its last empty line', 'text/event-stream', (id) => `data: ${good(id)}\n`],
  ['a stream without its last line end', 'text/event-stream', (id) => `data: ${good(id)}`],
])('the message is an answer: %s', async (_, type, write) => {
  expect(await useAnswer(write, type)).toMatchObject({ content: 'hello', calls: 1 });
});

test.each<[string, string]>([
  ['a text', 'not found'],
  ['JSON that is not a message', '{"detail":"not found"}'],
  ['a page', '<html></html>'],
])('%s in place of an answer is an error, and the tool is called once', async (_, body) => {
  expect(await useAnswer(() => body)).toMatchObject({ error: { category: 'unknown' }, calls: 1 });
});

test.each(['', '{"jsonrpc":"2.0","id":'])('a truncated answer counts as lost: %j', async (body) => {
  expect(await useAnswer(() => body)).toMatchObject({ error: { category: 'network_error' }, calls: 3 });
});

test.each(['byte_order_mark', 'log_before', 'error_of_null', 'no_version', 'log_with_the_id'])(
  'a command answers although its line has an odd form: %s',
  async (tool) => {
    const args = [new URL('raw-command.ts', import.meta.url).pathname];
    await using servers = useMcpServers({ raw: { command: process.execPath, args } });

    expect((await callMcpTool(servers, `raw__${tool}`)).content).toBe('said');
  },
);
