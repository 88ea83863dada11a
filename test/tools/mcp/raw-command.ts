import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

type Message = { id?: number; method?: string; params?: { name?: string }; result?: unknown; error?: unknown };

/** A command that speaks MCP without the SDK and breaks the rules in the way that the called tool names. */
const answered: Message[] = [];
const send = (message: unknown) => process.stdout.write(`${JSON.stringify(message)}\n`);
const say = (id: number | undefined, text: string) =>
  send({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  const { id, method, params } = message;
  if (method === undefined) return void answered.push(message);
  if (method === 'initialize') return void send({ jsonrpc: '2.0', id, result: greeting });
  if (method === 'tools/call') misbehave(id, params?.name);
  else if (id !== undefined) send({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'unknown' } });
});

function misbehave(id: number | undefined, tool: string | undefined): unknown {
  switch (tool) {
    case 'flood_with_requests':
      for (let number = 0; number < 2_000; number += 1) send({ jsonrpc: '2.0', id: `ping-${number}`, method: 'ping' });
      return say(id, 'flooded');
    case 'answers':
      return say(id, String(answered.length));
    case 'flood_with_errors':
      for (let number = 0; number < 30_000; number += 1) {
        process.stderr.write(`{"level":50,"event":"turn.failed","key":"sk-of-ours","number":${number}}\n`);
      }
      process.stderr.write('x'.repeat(100_000));
      return say(id, 'complained');
    case 'line_without_end':
      return process.stdout.write('x'.repeat(9 * 1024 * 1024));
    case 'deep_line':
      return process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${'['.repeat(1_000)}${']'.repeat(1_000)}}\n`);
    case 'noise':
      process.stdout.write('a line that is no JSON\n[1]\n"text"\n{"jsonrpc":"2.0"}\n');
      return say(id, 'said');
    case 'byte_order_mark':
      return process.stdout.write(`\ufeff${lineOf(id)}`);
    case 'log_before':
      return process.stdout.write(`[info] called {"tool"} ${lineOf(id)}`);
    case 'error_of_null':
      return process.stdout.write(lineOf(id, { error: null }));
    case 'no_version':
      return process.stdout.write(lineOf(id, { jsonrpc: undefined }));
    case 'log_with_the_id':
      send({ id, level: 'error', error: 'a line of the log' });
      send({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'to a notification' } });
      return say(id, 'said');
    case 'die_with_a_child': {
      // The child holds the pipes of this process, and survives it.
      const child = spawn('sleep', ['600'], { stdio: 'inherit' });
      return say(id, String(child.pid));
    }
    case 'die':
      return process.exit(1);
    default:
      return say(id, `pid ${process.pid}`);
  }
}

function lineOf(id: number | undefined, odd = {}): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'said' }] }, ...odd })}\n`;
}

const greeting = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'raw', version: '1.0.0' },
};
