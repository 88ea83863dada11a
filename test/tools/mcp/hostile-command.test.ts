import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MCP_BOUNDS } from '#core/bounds/mcp-bounds.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { callMcpTool, useMcpServers } from './use-mcp-servers.ts';

const file = fileURLToPath(new URL('./raw-command.ts', import.meta.url));
const raw = { raw: { command: process.execPath, args: [file] } };

test('a command that sends more requests than its bound gets no more answers, and answers its call', async () => {
  await using servers = useMcpServers(raw);

  const flooded = await callMcpTool(servers, 'raw__flood_with_requests', { effect: 'at_most_once' });
  const { content } = await callMcpTool(servers, 'raw__answers');

  expect(flooded).toMatchObject({ status: 'success', content: 'flooded' });
  expect(Number(content)).toBeGreaterThan(0);
  expect(Number(content)).toBeLessThan(2_000);
});

test('a command that writes a line without an end is ended at its bound, and its call says so', async () => {
  await using servers = useMcpServers(raw);
  const before = await callMcpTool(servers, 'raw__pid');

  const flooded = await callMcpTool(servers, 'raw__line_without_end', { effect: 'at_most_once' });
  const after = await callMcpTool(servers, 'raw__pid');

  expect(flooded.error?.message).toContain('answered with more than 8 MiB');
  expect(after.status).toBe('success');
  expect(after.content).not.toBe(before.content);
});

test('a command that writes JSON too deep to read is ended, and its call says so', async () => {
  await using servers = useMcpServers(raw);

  const { error } = await callMcpTool(servers, 'raw__deep_line');

  expect(error?.message).toContain('100 levels');
});

test('a command that is closed while it starts ends', async () => {
  await using folder = await newFolder('mcp');
  const pidFile = join(folder.path, 'pid');
  const script = `echo $$ > ${pidFile}; exec ${process.execPath} ${file}`;
  const servers = useMcpServers({ raw: { command: 'sh', args: ['-c', script] } });

  const call = callMcpTool(servers, 'raw__pid');
  await servers.close();
  await call;

  await waitUntil(async () => {
    const pid = Number(await readFile(pidFile, 'utf8').catch(() => '0'));
    expect(pid > 0 && isRunning(pid)).toBe(false);
  });
});

test('lines of a command that are not messages are left out', async () => {
  await using servers = useMcpServers(raw);

  const result = await callMcpTool(servers, 'raw__noise');

  expect(result).toMatchObject({ status: 'success', content: 'said' });
});

test('the standard error of a command is logged within its bounds, as its own and without secrets', async () => {
  await using servers = useMcpServers(raw);

  const result = await callMcpTool(servers, 'raw__flood_with_errors');
  await servers.close();

  expect(result.content).toBe('complained');
  expect(servers.output.length).toBeGreaterThanOrEqual(MCP_BOUNDS.outputBurst);
  expect(servers.output.length).toBeLessThan(3_000);
  expect(servers.output[0]).toBe('{"level":50,"event":"turn.failed","key":"[redacted]","number":0}');
  expect(servers.output.filter((line) => line.includes('sk-of-ours'))).toEqual([]);
  expect(Math.max(...servers.output.map((line) => line.length))).toBeLessThanOrEqual(MCP_BOUNDS.outputLineLength);
});

test('a command that dies while its child holds its pipes loses its call only, and the child ends too', async () => {
  await using servers = useMcpServers(raw);
  const child = Number((await callMcpTool(servers, 'raw__die_with_a_child')).content);

  const dead = await callMcpTool(servers, 'raw__die');
  const after = await callMcpTool(servers, 'raw__pid');

  expect(dead.error).toMatchObject({
    category: 'network_error',
    message: 'The MCP server "raw" was lost before it answered.',
  });
  expect(after.status).toBe('success');
  await waitUntil(() => expect(isRunning(child)).toBe(false));
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
