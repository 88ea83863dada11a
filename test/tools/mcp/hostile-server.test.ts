import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { MCP_BOUNDS } from '#core/bounds/mcp-bounds.ts';
import { PROGRESS_BOUNDS } from '#core/bounds/progress-bounds.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { type AnswerCall, beginStream, openScriptedMcpServer } from './scripted-server.ts';
import { callMcpTool, untilSeen, useMcpServers } from './use-mcp-servers.ts';

const eventOf = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
const result = { content: [{ type: 'text', text: 'done' }] };

/** Answers a call after `count` events, in large writes. */
const afterEvents =
  (count: number, event: (number: number, progressToken: unknown) => object): AnswerCall =>
  async ({ response, message }) => {
    const token = message.params?._meta?.progressToken;
    beginStream(response);
    for (let number = 0; number < count; number += 100) {
      const events = Array.from({ length: Math.min(100, count - number) }, (_, index) =>
        eventOf(event(number + index, token)),
      );
      if (!response.write(events.join(''))) await once(response, 'drain');
    }
    response.end(eventOf({ id: message.id, result }));
  };

const requests = (number: number) => ({ id: `request-${number}`, method: 'sampling/createMessage', params: {} });
const notifications = () => ({ method: 'notifications/message', params: { level: 'info', data: 'a line' } });
const changes = () => ({ method: 'notifications/tools/list_changed' });

test.each([
  ['requests', requests],
  ['log lines', notifications],
  ['changes of its list', changes],
])('a server that sends 2,000 %s in the stream of a call answers the call', async (_, event) => {
  await using server = await openScriptedMcpServer({ hasSessions: true, onCall: afterEvents(2_000, event) });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  const answered = await callMcpTool(servers, 'scripted__read', { effect: 'at_most_once' });

  expect(answered).toMatchObject({ status: 'success', content: 'done', attempts: 1 });
  expect(server.seen.calls).toBe(1);
  expect(server.seen.answers).toBeLessThan(2_000);
});

test('a call with few log lines is answered while other calls exceed the rate', async () => {
  stopEventsOfServers();
  const quiet = afterEvents(10, notifications);
  const loud = afterEvents(2_000, notifications);
  const onCall: AnswerCall = (call) => (call.message.params?.name === 'quiet' ? quiet : loud)(call);
  await using server = await openScriptedMcpServer({ hasSessions: true, onCall });
  await using servers = useMcpServers({ scripted: { url: server.url } });
  const stop = new AbortController();
  const answered: string[] = [];

  const others = ['loud', 'louder'].map(async (name) => {
    const { status } = await callMcpTool(servers, `scripted__${name}`, { signal: stop.signal });
    answered.push(`${name}: ${status}`);
  });
  await waitUntil(() => server.seen.calls === 2);
  const { content } = await callMcpTool(servers, 'scripted__quiet');
  const before = [...answered];
  stop.abort();
  await Promise.allSettled(others);

  expect([content, before]).toEqual(['done', []]);
});

/**
 * Sets the rate of a server to zero until the end of the test. Only events within the bound of their stream are read.
 */
function stopEventsOfServers(): void {
  const { eventsAtOnce, eventsPerSecond } = MCP_BOUNDS;
  Object.assign(MCP_BOUNDS, { eventsAtOnce: 0, eventsPerSecond: 1e-3 });
  onTestFinished(() => void Object.assign(MCP_BOUNDS, { eventsAtOnce, eventsPerSecond }));
}

test('progress above its rate is omitted, and a large value becomes a note', async () => {
  const progress = (number: number, progressToken: unknown) => {
    const message = number === 0 ? 'x'.repeat(PROGRESS_BOUNDS.length) : `step ${number}`;
    return { method: 'notifications/progress', params: { progressToken, progress: number, message } };
  };
  await using server = await openScriptedMcpServer({ hasSessions: false, onCall: afterEvents(1_000, progress) });
  await using servers = useMcpServers({ scripted: { url: server.url } });
  const reported: unknown[] = [];

  await callMcpTool(servers, 'scripted__read', { progress: (value) => reported.push(value) });

  expect(reported[0]).toEqual({ left_out: 'the progress had more than 64 KiB' });
  expect(reported[1]).toEqual({ progress: 1, message: 'step 1' });
  expect(reported.length).toBeGreaterThanOrEqual(PROGRESS_BOUNDS.burst);
  expect(reported.length).toBeLessThan(1_000);
});

test('a stream that always ends at once is resumed with pauses until the timeout', async () => {
  const cut = 'id: 1\nretry: 0\ndata:\n\n';
  await using server = await openScriptedMcpServer({
    hasSessions: true,
    onCall: ({ response }) => beginStream(response, cut).end(),
    onGet: (_, response) => beginStream(response, cut).end(),
  });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  const { error } = await callMcpTool(servers, 'scripted__read', { timeout_ms: 2_500 });

  expect(error?.category).toBe('execution_timeout');
  expect(server.seen.streams).toBeLessThanOrEqual(2_500 / MCP_BOUNDS.leastResumeMs);
});

const tool = { name: 'tool', inputSchema: { type: 'object' } };

test.each([
  [
    'pages that never end',
    (page: number) => ({ tools: [{ ...tool, name: `tool ${page}` }], nextCursor: String(page) }),
    'lists more than 20 pages',
  ],
  ['many tools', () => ({ tools: Array(2_001).fill(tool) }), 'lists more than 2,000 tools'],
  [
    'long descriptions',
    (page: number) => ({ tools: [{ ...tool, description: 'x'.repeat(3_000_000) }], nextCursor: String(page) }),
    'lists tools of more than 4 MiB',
  ],
])('a tool list of %s is not read to its end, and reports a problem', async (_, onList, what) => {
  let page = 0;
  await using server = await openScriptedMcpServer({
    ...{ hasSessions: true, onCall: () => {} },
    onList: () => {
      page += 1;
      return onList(page);
    },
  });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  await waitUntil(async () => {
    expect(await servers.find('scripted__tool')).toMatchObject({ kind: 'unavailable', problem: { what } });
  });

  expect(servers.warnings[0]?.[1]).toContain(what);
});

test('a tool with a description that is too long is left out', async () => {
  const onList = () => ({ tools: [tool, { ...tool, name: 'long', description: 'x'.repeat(70_000) }] });
  await using server = await openScriptedMcpServer({ hasSessions: true, onCall: () => {}, onList });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  await untilSeen(servers, 'scripted__tool');
  const found = [await servers.find('scripted__tool'), await servers.find('scripted__long')];

  expect(found.map(({ kind }) => kind)).toEqual(['found', 'left-out']);
  expect(servers.warnings).toEqual([
    [
      { mcp_server: 'scripted', tool: 'scripted__long' },
      'a tool was left out: Shorten the description to at most 65,536 characters.',
    ],
  ]);
});
