import { expect, test } from 'vitest';
import { type AnswerSlot, openAnswerSlot } from '#core/bounds/answer-slots.ts';
import { startWireServer } from '#test/llm/wire-server.ts';
import { pour, startRawReceiver } from '../../egress/receiver.ts';
import { openFloodingServer } from './flooding-server.ts';
import { callMcpTool, useMcpServers } from './use-mcp-servers.ts';

const answeredWith = (bound: string) => `The MCP server "flood" answered with ${bound}.`;

test.each(['json', 'event'])('an endless answer (%s) ends after 8 MiB, and other calls are served', async (form) => {
  await using server = await openFloodingServer();
  await using servers = useMcpServers({ flood: { url: server.url } });

  const flooded = callMcpTool(servers, `flood__endless_${form}`, { effect: 'at_most_once' });
  const beside = callMcpTool(servers, 'flood__word');
  const results = [await flooded, await beside, await callMcpTool(servers, 'flood__word')];
  await server.left;

  expect(results[0]).toMatchObject({
    error: { category: 'unknown', message: answeredWith('more than 8 MiB') },
    attempts: 1,
  });
  expect(results.slice(1).map(({ content }) => content)).toEqual(['a word', 'a word']);
});

test('a stream may be longer than 8 MiB if each event is smaller', async () => {
  await using server = await openFloodingServer();
  await using servers = useMcpServers({ flood: { url: server.url } });

  const result = await callMcpTool(servers, 'flood__many_events');

  expect(result.content).toBe('twelve events before');
});

/** Returns a slot that counts arrived answers. The answer calls `onTaken` when it takes the slot. */
function watchedSlot(onTaken: (slot: AnswerSlot) => void = () => {}) {
  const real = openAnswerSlot('alpha');
  const seen = { arrived: 0 };
  const slot: AnswerSlot = {
    ...real,
    take: async (server) => {
      await real.take(server);
      onTaken(slot);
    },
    arrived: () => {
      seen.arrived += 1;
      real.arrived();
    },
  };
  return { slot, seen, [Symbol.dispose]: () => real[Symbol.dispose]() };
}

test.each(['json', 'event'])('a large answer (%s) that is too slow is ended, and the caller hangs up', async (form) => {
  await using server = await openFloodingServer();
  await using servers = useMcpServers({ flood: { url: server.url } });
  using watched = watchedSlot((slot) => slot.onOverdue());

  const result = await callMcpTool(servers, `flood__half_${form}`, { slot: watched.slot });
  await server.left;

  expect(result).toMatchObject({
    error: {
      category: 'execution_timeout',
      message: 'The MCP server "flood" needed more than 60 s for an answer of more than 256 KiB.',
    },
    attempts: 1,
  });
});

test('each large event of a stream has its own time limit', async () => {
  await using server = await openFloodingServer();
  await using servers = useMcpServers({ flood: { url: server.url } });
  using watched = watchedSlot();

  await callMcpTool(servers, 'flood__many_events', { slot: watched.slot });

  expect(watched.seen.arrived).toBeGreaterThanOrEqual(12);
});

test.each([
  ['gzip_bomb', 'more than 8 MiB'],
  ['deep_json', 'more than 100 levels of JSON'],
  ['deep_event', 'more than 100 levels of JSON'],
  ['wide_json', 'more than 250,000 JSON values'],
  ['many_blocks', 'more than 1,000 content blocks'],
])('an answer that is larger in memory than on the wire (%s) is refused: %s', async (form, bound) => {
  await using server = await openFloodingServer();
  await using servers = useMcpServers({ flood: { url: server.url } });

  const result = await callMcpTool(servers, `flood__${form}`, { effect: 'at_most_once' });

  expect(result).toMatchObject({ error: { category: 'unknown', message: answeredWith(bound) }, attempts: 1 });
  expect((await callMcpTool(servers, 'flood__word')).content).toBe('a word');
});

test.each([307, 308])('a %i to another server is not followed, with neither headers nor arguments', async (status) => {
  await using there = await startWireServer();
  await using here = await startWireServer();
  here.answer({ status, headers: { location: `${there.origin}/mcp` } });
  await using servers = useMcpServers({ flood: { url: `${here.origin}/mcp`, headers: { 'X-Api-Key': 'secret' } } });

  const result = await callMcpTool(servers, 'flood__word', { effect: 'at_most_once' });

  expect(result.status).toBe('error');
  expect(here.asked.length).toBeGreaterThan(0);
  expect(there.asked).toEqual([]);
});

test('a server that sends informational responses without end is given up', async () => {
  await using flooding = await startRawReceiver((socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'));
  await using servers = useMcpServers({ flood: { url: `${flooding.url}/mcp` } });

  const { error } = await callMcpTool(servers, 'flood__word');

  expect(error).toMatchObject({ category: 'network_error' });
});
