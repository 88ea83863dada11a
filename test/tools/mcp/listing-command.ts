import { createInterface } from 'node:readline';

type Message = { id?: number; method?: string; params?: { name?: string } };

const { TOOLS = '[]', RESULTS = '{}' } = process.env;
const results = new Map<string, unknown>(Object.entries(JSON.parse(RESULTS)));
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** A command that speaks MCP without the SDK. Lists the tools and returns the results of its environment. */
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as Message;
  if (id === undefined || method === undefined) return;
  if (method === 'initialize') return void send({ id, result: greeting });
  if (method === 'tools/list') return void send({ id, result: { tools: JSON.parse(TOOLS) } });
  const result = method === 'tools/call' ? results.get(params?.name ?? '') : undefined;
  const error =
    method === 'tools/call' ? { code: -32_602, message: 'Tool not found' } : { code: -32_601, message: 'no' };
  return void send(result === undefined ? { id, error } : { id, result });
});

const greeting = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'listing', version: '1.0.0' },
};
