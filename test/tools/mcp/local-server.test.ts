import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newFolder } from '#test/harness/new-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { callMcpTool, untilSeen, useMcpServers } from './use-mcp-servers.ts';

const command = (file: URL, env = {}) => ({ command: process.execPath, args: [fileURLToPath(file)], env });
const local = (env = {}) => ({ local: command(new URL('./local-server.ts', import.meta.url), env) });

test('a command starts at its first call, serves all calls and ends on close', async () => {
  const servers = useMcpServers(local());

  const pids = [await callMcpTool(servers, 'local__pid'), await callMcpTool(servers, 'local__pid')];
  const pid = Number(pids[0]?.content);
  const isThere = isRunning(pid);
  await servers.close();

  expect(pids[1]?.content).toBe(pids[0]?.content);
  expect([isThere, isRunning(pid)]).toEqual([true, false]);
});

test('a command that ends during a call is a network_error, and starts again', async () => {
  await using servers = useMcpServers(local());
  const before = await callMcpTool(servers, 'local__pid');

  const ended = await callMcpTool(servers, 'local__end');
  const after = await callMcpTool(servers, 'local__pid');

  expect(ended.error).toMatchObject({
    category: 'network_error',
    message: 'The MCP server "local" was lost before it answered.',
  });
  expect(after.status).toBe('success');
  expect(after.content).not.toBe(before.content);
});

test('a command that writes a line over 8 MiB is stopped, and starts again', async () => {
  await using servers = useMcpServers(local());
  const before = await callMcpTool(servers, 'local__pid');

  const flooded = await callMcpTool(servers, 'local__flood');
  const after = await callMcpTool(servers, 'local__pid');

  expect(flooded.error?.message).toContain('answered with more than 8 MiB');
  expect(after.content).not.toBe(before.content);
});

test('a command that hangs is restarted after a call that timed out', async () => {
  await using servers = useMcpServers(local());
  await callMcpTool(servers, 'local__pid');

  const late = await callMcpTool(servers, 'local__hang', { timeout_ms: 500 });
  const stuck = await callMcpTool(servers, 'local__pid', { timeout_ms: 6_000 });
  const after = await callMcpTool(servers, 'local__pid');

  expect([late.error?.category, stuck.error?.category]).toEqual(['execution_timeout', 'execution_timeout']);
  expect(after.status).toBe('success');
});

test('an aborted call is cancelled at the command', async () => {
  await using servers = useMcpServers(local());
  await callMcpTool(servers, 'local__pid');

  const result = await callMcpTool(servers, 'local__until_aborted', { timeout_ms: 1_500 });
  const answer = await callMcpTool(servers, 'local__was_aborted');

  expect(result.error?.category).toBe('execution_timeout');
  expect(answer.content).toBe('yes');
});

test('a command gets its own variables and no variables of Pawl', async () => {
  process.env.OPENAI_API_KEY ??= 'sk-of-ours';
  await using servers = useMcpServers(local({ NAME: 'of its own' }));

  const { content } = await callMcpTool(servers, 'local__variables');

  const given = JSON.parse(content ?? '');
  expect(given).toMatchObject({ NAME: 'of its own', PATH: process.env.PATH });
  expect(given).not.toHaveProperty('OPENAI_API_KEY');
});

test('a command that cannot start or speak MCP was never reached', async () => {
  const servers = { missing: { command: 'no-such-command' }, mute: { command: 'false' } };
  await using opened = useMcpServers(servers);

  const missing = await callMcpTool(opened, 'missing__any', { effect: 'at_most_once' });
  const mute = await callMcpTool(opened, 'mute__any', { effect: 'at_most_once' });

  expect(missing.error).toMatchObject({
    category: 'network_error',
    message: 'The MCP server "missing" cannot be reached (ENOENT).',
  });
  expect(mute.error).toMatchObject({ category: 'network_error' });
});

test('a missing command is reported at once, before its first use', async () => {
  const servers = {
    missing: { command: 'no-such-command' },
    gone: { command: '/no/such/file' },
    there: { command: 'sh' },
  };
  await using opened = useMcpServers(servers);

  expect(opened.warnings.map(([, sentence]) => sentence)).toEqual([
    'PAWL_MCP.missing.command: command no-such-command not found. Install the command, or give its whole path.',
    'PAWL_MCP.gone.command: command /no/such/file not found. Install the command, or give its whole path.',
  ]);
});

test('a failing command starts once for several lists, and is used when it works', async () => {
  await using folder = await newFolder('mcp');
  const starts = join(folder.path, 'starts');
  const example = fileURLToPath(new URL('../../../examples/mcp-server.ts', import.meta.url));
  const script = `echo once >> ${starts}; test -e ${folder.path}/mended && exec ${process.execPath} ${example}`;
  // The clock is fixed, because a list is read again after ten seconds. A future time would stay in other modules.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1);
  onTestFinished(() => clock.mockRestore());
  await using servers = useMcpServers({ units: { command: 'sh', args: ['-c', script] } });

  const lists = [await servers.list()];
  await waitUntil(() => expect(servers.warnings).toHaveLength(1));
  for (let count = 1; count < 5; count += 1) lists.push(await servers.list());
  const started = (await readFile(starts, 'utf8')).trim().split('\n');
  await writeFile(join(folder.path, 'mended'), '');
  await untilSeen(servers, 'units__roll_dice');

  expect(lists.map(({ tools }) => tools)).toEqual([[], [], [], [], []]);
  expect(started).toEqual(['once']);
  expect((await servers.list()).tools.map(({ name }) => name)).toContain('units__roll_dice');
});

test('the example MCP server works', async () => {
  await using servers = useMcpServers({ units: command(new URL('../../../examples/mcp-server.ts', import.meta.url)) });

  const args = { value: 1, from: 'mile', to: 'metre' };
  await untilSeen(servers, 'units__convert_length');
  const { tools } = await servers.list();
  const converted = await callMcpTool(servers, 'units__convert_length', { args });
  const rolled = await callMcpTool(servers, 'units__roll_dice', { args: { dice: 3 } });

  expect(tools.map(({ name, effect }) => [name, effect])).toEqual([
    ['units__convert_length', 'none'],
    ['units__roll_dice', 'at_most_once'],
  ]);
  expect(converted.content).toBe('{"value":1609.344,"unit":"metre"}');
  expect(rolled.content).toMatch(/^[1-6] [1-6] [1-6]$/);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
