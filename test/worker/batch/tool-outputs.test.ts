import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';

const env = { PAWL_TOOLS: fileURLToPath(new URL('./odd-tools.ts', import.meta.url)) };

test('a full output reports whether it was stored in full', async () => {
  await using harness = await createHarness({ env });
  await using page = await openExternalServer(() => ({ status: 200, body: 'x'.repeat(100_000) }));
  await using book = await openExternalServer(() => ({ status: 200, body: 'x'.repeat(5 * 1024 * 1024) }));
  const client = { name: 'ask_user', description: 'Asks the user for a long text' };
  const httpTools = [httpTool('read_page', page.url), httpTool('read_book', book.url)];
  const names = ['say_all', 'say_too_much', 'read_page', 'read_book', 'ask_user'];
  const calls = names.map((name) => ({ name, id: name, arguments: name.startsWith('read') ? { city: 'Rome' } : {} }));

  const { id } = await harness.runTurn({
    input: scripted({ rounds: [{ tools: calls }] }),
    tools: ['say_all', 'say_too_much', ...httpTools, client],
  });
  const tool_outputs = [{ tool_call_id: 'ask_user', output: 'x'.repeat(100_000) }];
  await harness.call('POST', `/v1/turns/${id}/tool_outputs`, { body: { tool_outputs } });
  const whole = names.map((name) =>
    harness.call<{ truncated: boolean }>('GET', `/v1/turns/${id}/tool_outputs/${name}`),
  );

  const { rounds } = await harness.findTurn(id);
  expect(rounds[0]?.results.map(({ truncated }) => truncated)).toEqual(Array(5).fill(true));
  expect((await Promise.all(whole)).map(({ body }) => body.truncated)).toEqual([false, true, false, true, false]);
  expect(JSON.stringify(rounds)).not.toContain('"partial"');
});
