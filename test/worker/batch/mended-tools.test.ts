import { expect, test } from 'vitest';
import { offeredName } from '#core/turn/request/labelled-tool.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openListingServer } from '#test/tools/mcp/listing-server.ts';

const name = offeredName('files', 'read/file');
const read = {
  ...{ name: 'read/file', inputSchema: { type: 'object', properties: {} } },
  outputSchema: { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] },
};
const answer = (structuredContent: object) => ({ content: [{ type: 'text', text: 'read' }], structuredContent });
const input = scripted({ rounds: [{ tools: [{ name, arguments: {} }] }], answer: 'Done.' });
const withMcp = ({ config }: { config: object }) => ({ env: { PAWL_MCP: JSON.stringify({ files: config }) } });

async function workTurn(harness: Harness, tools: unknown[]): Promise<TurnResource> {
  return harness.runTurn({ input, tools });
}

test.each([
  ['by its name', [name]],
  ['by a definition', [{ name, timeout_ms: 5_000, execution: { kind: 'mcp', server: 'files' } }]],
])('a turn with the mended MCP tool %s reads the error of an invalid result', async (_, tools) => {
  await using server = await openListingServer('sessions', {
    tools: [read],
    results: { 'read/file': answer({ bytes: 'ten' }) },
  });
  await using harness = await createHarness(withMcp(server));

  const turn = await workTurn(harness, tools);

  expect(turn.status).toBe('completed');
  expect(server.called).toEqual(['read/file']);
  expect(turn.rounds[0]?.results[0]).toMatchObject({
    status: 'error',
    error: { details: { bytes: 'must be integer' } },
  });
  expect(harness.modelRequests[1]?.body.messages.at(-1)?.content).toMatch(
    /^Tool execution failed \(unknown\): The tool ran, but its result does not fit .*bytes: must be integer/,
  );
});

test('the configuration of a turn shows a mended MCP tool as a usable definition', async () => {
  await using server = await openListingServer('sessions', {
    tools: [read],
    results: { 'read/file': answer({ bytes: 10 }) },
  });
  await using harness = await createHarness(withMcp(server));
  const { id } = await workTurn(harness, [name]);

  const { body } = await harness.call<{ config: { tools: object[] } }>('GET', `/v1/turns/${id}?include=config`);
  const again = await workTurn(harness, body.config.tools);

  expect(body.config.tools).toMatchObject([{ name, execution: { kind: 'mcp', server: 'files' } }]);
  expect(JSON.stringify(body.config.tools)).not.toContain('remoteName');
  expect(again.rounds[0]?.results).toMatchObject([{ status: 'success' }]);
  expect(server.called).toEqual(['read/file', 'read/file']);
});

test('a turn still calls its MCP tool after the server lists other tools', async () => {
  const listing = { tools: [read], results: { 'read/file': answer({ bytes: 10 }), read_file: answer({ bytes: 10 }) } };
  await using server = await openListingServer('sessions', listing);
  await using harness = await createHarness(withMcp(server));
  const { id } = await harness.startTurn({ input, tools: [name] });
  listing.tools = [{ ...read, name: 'read_file' }, read];

  await harness.workUntilIdle();

  expect((await harness.findTurn(id)).rounds[0]?.results).toMatchObject([{ status: 'success' }]);
  expect(server.called).toEqual(['read/file']);
});
