import { expect, test } from 'vitest';
import { prepareCall } from '#core/tools/arguments/prepare-call.ts';
import { Tool } from '#core/turn/request/tool.ts';

const shell = Tool.parse({
  name: 'run_shell',
  description: 'Runs a command in a shell.',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  capabilities: ['shell'],
});
const open = { tools: [shell], allowedCapabilities: null, project: 'default' };

test('a valid call is ready to run', async () => {
  const prepared = await prepareCall(callOf('run_shell', '{"command":"ls"}'), open);

  expect(prepared).toEqual({ ok: true, call: { tool: shell, args: { command: 'ls' } } });
});

test('an unknown tool is answered with the names of the tools', async () => {
  const prepared = await prepareCall(callOf('rm_rf', '{}'), open);

  expect(prepared).toMatchObject({
    error: { category: 'resource_not_found', message: 'There is no tool named "rm_rf". Tools: run_shell.' },
  });
});

test('a denied capability is reported before the arguments are checked', async () => {
  const prepared = await prepareCall(callOf('run_shell', 'no json'), { ...open, allowedCapabilities: ['network'] });

  expect(prepared).toMatchObject({
    error: { category: 'permission_denied', message: expect.stringContaining('"shell"') },
  });
});

test('arguments that break the schema are answered with an error, without a run', async () => {
  const prepared = await prepareCall(callOf('run_shell', '{}'), { ...open, allowedCapabilities: ['shell'] });

  expect(prepared).toMatchObject({ error: { category: 'invalid_arguments', details: { command: 'is required' } } });
});

function callOf(name: string, text: string) {
  return { id: 'call_1', name, arguments: text };
}
