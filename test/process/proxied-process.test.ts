import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalMcpServer } from '#test/harness/servers/external-mcp-server.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { openForwardProxy, portOf } from '#test/harness/servers/forward-proxy.ts';
import { openModelRecorder } from '#test/harness/servers/model-recorder.ts';
import { openOtlpReceiver } from '#test/harness/servers/otlp-receiver.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const args = { city: 'Tokyo' };
const tools = [
  { name: 'remote', arguments: args },
  { name: 'cities__look_up', arguments: args },
];
const input = scripted({ rounds: [{ tools }], answer: 'Done.' });

test.each(['HTTP_PROXY', 'http_proxy'])('%s carries all outgoing requests of a process', async (variable) => {
  await using model = await openModelRecorder();
  await using tool = await openExternalServer(() => ({ status: 200, body: { ok: true } }));
  await using receiver = await openExternalServer();
  await using mcp = await openExternalMcpServer({ kind: 'newest' });
  await using collector = await openOtlpReceiver();
  const servers = { model: model.baseUrl, tool: tool.url, hooks: receiver.url, mcp: mcp.url, otlp: collector.url };
  const hosts = Object.entries(servers).map(([name, url]) => [`${name}.test`, portOf(url)]);
  await using proxy = await openForwardProxy(Object.fromEntries(hosts));
  const env = {
    [variable]: proxy.url,
    NODE_USE_ENV_PROXY: '1',
    OPENAI_BASE_URL: `http://model.test${new URL(model.baseUrl).pathname}`,
    PAWL_MCP: JSON.stringify({ cities: { url: `http://mcp.test${new URL(mcp.url).pathname}` } }),
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otlp.test',
  };
  await using harness = await createHarness({ env });

  const offered = [httpTool('remote', 'http://tool.test/run'), 'cities__look_up'];
  const { id } = await harness.runTurn({ input, tools: offered, webhook: { url: 'http://hooks.test/' } });
  await waitUntil(() => expect(collector.spans.length).toBeGreaterThan(0));

  expect((await harness.findTurn(id)).status).toBe('completed');
  expect([tool.caught.length, receiver.caught.length, mcp.calls.length]).toEqual([1, 1, 1]);
  const seen = new Set(proxy.seen.map((line) => new URL(line.split(' ')[1] ?? '').hostname));
  expect([...seen].sort()).toEqual(['hooks.test', 'mcp.test', 'model.test', 'otlp.test', 'tool.test']);
});

test('PAWL_EGRESS_PROXY=none sends untrusted URLs past the proxy with an address check', async () => {
  await using model = await openModelRecorder();
  await using proxy = await openForwardProxy({ 'model.test': portOf(model.baseUrl), 'hooks.test': 9 });
  const env = {
    HTTP_PROXY: proxy.url,
    PAWL_EGRESS_PROXY: 'none',
    OPENAI_BASE_URL: `http://model.test${new URL(model.baseUrl).pathname}`,
  };
  await using harness = await createHarness({ env });

  const turn = await harness.runTurn({ input: 'Hi', webhook: { url: 'http://hooks.test/' } });

  expect(turn.status).toBe('completed');
  expect(proxy.seen.filter((line) => line.includes('hooks.test'))).toEqual([]);
});
