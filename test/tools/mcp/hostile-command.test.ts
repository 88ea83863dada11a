import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MCP_BOUNDS } from '#core/bounds/mcp-bounds.ts';
import { localTransport } from '#core/tools/mcp/local/local-transport.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { callMcpTool, useMcpServers } from './use-mcp-servers.ts';

const file = fileURLToPath(new URL('./raw-command.ts', import.meta.url));
const raw = { raw: { command: process.execPath, args: [file] } };

test('a command that floods with requests gets answers up to a bound', async () => {
  await using servers = useMcpServers(raw);

  const flooded = await callMcpTool(servers, 'raw__flood_with_requests', { effect: 'at_most_once' });
  const { content } = await callMcpTool(servers, 'raw__answers');

  expect(flooded).toMatchObject({ status: 'success', content: 'flooded' });
  expect(Number(content)).toBeGreaterThan(0);
  expect(Number(content)).toBeLessThan(2_000);
});

test('a command that writes an endless line is stopped, and its call fails', async () => {
  await using servers = useMcpServers(raw);
  const before = await callMcpTool(servers, 'raw__pid');

  const flooded = await callMcpTool(servers, 'raw__line_without_end', { effect: 'at_most_once' });
  const after = await callMcpTool(servers, 'raw__pid');

  expect(flooded.error?.message).toContain('answered with more than 8 MiB');
  expect(after.status).toBe('success');
  expect(after.content).not.toBe(before.content);
});

test('a command that writes JSON of too many levels is stopped', async () => {
  await using servers = useMcpServers(raw);

  const { error } = await callMcpTool(servers, 'raw__deep_line');

  expect(error?.message).toContain('100 levels');
});

test('a command that is closed before its start is complete ends', async () => {
  const pids: Promise<string>[] = [];
  const onOutput = (output: Readable) => void pids.push(text(output));
  const transport = localTransport({ ...command('echo $$ >&2; exec cat'), env: {}, onOutput });

  const started = transport.start();
  await transport.close();
  await started;

  const pid = Number(await pids[0]);
  expect(pid).toBeGreaterThan(0);
  expect(isRunning(pid)).toBe(false);
});

test('a command that is closed before its answer ends, and its call fails', async () => {
  await using folder = await newFolder('mcp');
  const pidFile = join(folder.path, 'pid');
  await using servers = useMcpServers({ silent: command(`echo $$ > ${pidFile}; exec sed d`) });
  const readPid = async () => Number(await readFile(pidFile, 'utf8'));

  const call = callMcpTool(servers, 'silent__tool');
  await waitUntil(async () => expect(await readPid()).toBeGreaterThan(0));
  const pid = await readPid();
  const wasRunning = isRunning(pid);
  await servers.close();

  expect([wasRunning, isRunning(pid)]).toEqual([true, false]);
  expect((await call).error).toMatchObject({ category: 'network_error' });
});

const command = (script: string) => ({ command: 'sh', args: ['-c', script] });

test('lines of a command that are not messages are ignored', async () => {
  await using servers = useMcpServers(raw);

  const result = await callMcpTool(servers, 'raw__noise');

  expect(result).toMatchObject({ status: 'success', content: 'said' });
});

test('the standard error of a command is logged within bounds, without secrets', async () => {
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

test('a command that dies loses only its call, and its child ends too', async () => {
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
