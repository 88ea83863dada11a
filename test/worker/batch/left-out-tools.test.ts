import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openScriptedMcpServer } from '../../tools/mcp/scripted-server.ts';

const tool = { name: 'look_up', description: 'Looks up a city', inputSchema: { type: 'object', required: null } };
const long = { ...tool, name: 'long', description: 'x'.repeat(70_000) };

test('a turn that names a left-out MCP tool has a warning and runs its other tools', async () => {
  const onList = () => ({ tools: [long, tool] });
  await using server = await openScriptedMcpServer({ hasSessions: true, onCall: () => {}, onList });
  await using harness = await createHarness({ env: { PAWL_MCP: JSON.stringify({ cities: { url: server.url } }) } });
  const listed = () => harness.call<{ data: { name: string }[] }>('GET', '/v1/tools');
  await waitUntil(async () => expect((await listed()).body.data.map(({ name }) => name)).toContain('cities__look_up'));

  const tools = ['cities__long', 'cities__look_up'];
  const { id } = await harness.startTurn({ input: scripted({ answer: 'Done.' }), tools });
  const queued = await harness.findTurn(id);
  await harness.workUntilIdle();

  const warnings = [expect.stringMatching(/cities__long.*65,536 characters/)];
  expect(queued).toMatchObject({ status: 'queued', warnings });
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', warnings });
});
