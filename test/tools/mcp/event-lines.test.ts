import { expect, test } from 'vitest';
import { startEventLines } from '#core/tools/mcp/http/event-lines.ts';

const request = { id: 2, method: 'tools/call' };

function linesOf(data: string): string {
  const lines = startEventLines(request);
  lines.add(Buffer.from(`data: ${data}\n`));
  return Buffer.from(lines.release()).toString();
}

test.each([
  '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}',
  '{"id": 2, "jsonrpc": "2.0", "result": {"_meta": {}, "content": []}}',
  '{"result":{"content":[]},"jsonrpc":"2.0","id":2}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}',
  '{"method":"notifications/progress","jsonrpc":"2.0"}',
])('an event in the usual form is passed through unchanged: %s', (data) => {
  expect(linesOf(data)).toBe(`data: ${data}\n`);
});

test.each([
  '{"jsonrpc":"2.0","id":2,"result":{"content":[]},"error":null}',
  '{"id":2,"result":{"content":[]}}',
  '{"result":{"content":[],"_meta":[]},"id":2,"jsonrpc":"2.0"}',
])('an event in an unusual form is normalised: %s', (data) => {
  expect(linesOf(data)).toBe('data: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}\n');
});
