import { expect, test } from 'vitest';
import { offeredName } from '#core/turn/request/labelled-tool.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openListingServer } from '../../../tools/mcp/listing-server.ts';
import { openaiClient, raised } from './openai-client.ts';

const model = 'test';
const names = ['read/file', 'read_file', 'read.file', 'x'.repeat(90)];
const text = (said: string) => ({ content: [{ type: 'text', text: said }] });
const label = { type: 'mcp', server_label: 'files' } as const;

async function openFiles() {
  const tools = names.map((name) => ({ name, inputSchema: { type: 'object', properties: {} } }));
  const task = { name: 'long/task', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } };
  const results = Object.fromEntries(names.map((name) => [name, text(`from ${name}`)]));
  const server = await openListingServer('sessions', { tools: [...tools, task], results });
  const harness = await createHarness({ env: { PAWL_MCP: JSON.stringify({ files: server.config }) } });
  const worker = await startBackgroundWorker(harness);
  /** Returns the names of the tools in the last request to the model. */
  const offered = () => harness.modelRequests.at(-1)?.body.tools?.map((tool) => tool.function.name) ?? [];
  return {
    ...{ harness, offered, called: server.called, client: openaiClient(harness) },
    async [Symbol.asyncDispose]() {
      for (const part of [worker, harness, server]) await part[Symbol.asyncDispose]();
    },
  };
}

test('a response shows and accepts the names of MCP tools as their server has them', async () => {
  await using files = await openFiles();
  const { client, offered, called } = files;
  const tools = [{ ...label, allowed_tools: names, require_approval: { never: { tool_names: ['read/file'] } } }];
  const calls = ['read/file', 'read_file'].map((name) => ({ name: offeredName('files', name), arguments: {} }));

  const asked = await client.responses.create({
    ...{ model, input: scripted({ rounds: [{ tools: calls }], answer: 'Read.' }), tools },
    tool_choice: { type: 'mcp', server_label: 'files', name: 'read/file' },
  });
  const request = asked.output.find(({ type }) => type === 'mcp_approval_request');
  const allowed = await client.responses.create({
    ...{ model, tools, previous_response_id: asked.id },
    input: [{ type: 'mcp_approval_response', approval_request_id: request?.id ?? '', approve: true }],
  });

  expect(offered()).toHaveLength(names.length);
  expect(offered().every((name) => /^files__[a-zA-Z0-9_-]{1,57}$/.test(name))).toBe(true);
  expect(asked.tool_choice).toEqual({ type: 'mcp', server_label: 'files', name: 'read/file' });
  expect(asked.output).toMatchObject([
    { type: 'mcp_call', server_label: 'files', name: 'read/file', output: 'from read/file' },
    { type: 'mcp_approval_request', server_label: 'files', name: 'read_file' },
  ]);
  expect(allowed.output[0]).toMatchObject({ type: 'mcp_call', name: 'read_file', output: 'from read_file' });
  expect(called).toEqual(['read/file', 'read_file']);
});

test('the model reads the offered name of an MCP tool if a client sends a call back', async () => {
  await using files = await openFiles();
  const { client, harness } = files;
  const tools = [{ ...label, allowed_tools: ['read.file'], require_approval: 'never' as const }];
  const name = offeredName('files', 'read.file');
  const input = scripted({ rounds: [{ tools: [{ name, arguments: {} }] }], answer: 'Read.' });
  const first = await client.responses.create({ model, input, tools });

  const question = { role: 'user' as const, content: scripted({ answer: 'Still.' }) };
  const items = [{ role: 'user' as const, content: input }, ...first.output, question];
  await client.responses.create({ model, input: items as never, tools, store: false });

  expect(first.output[0]).toMatchObject({ type: 'mcp_call', name: 'read.file', output: 'from read.file' });
  const { messages } = harness.modelRequests.at(-1)!.body;
  expect(messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map((call) => call.function.name))).toEqual([name]);
});

test('a response that names an MCP tool without support is refused with the reason', async () => {
  await using files = await openFiles();
  const tools = [{ ...label, allowed_tools: ['long/task'] }];

  const refusal = await raised(files.client.responses.create({ model, input: 'Hi', tools }));

  expect(refusal).toMatchObject({ status: 400, code: 'unknown_tool', param: 'tools[0].allowed_tools[0]' });
  expect(String(refusal.message)).toContain('Pawl does not support tasks');
});
