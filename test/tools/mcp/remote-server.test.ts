import { describe, expect, test } from 'vitest';
import { openExternalMcpServer } from '#test/harness/servers/external-mcp-server.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { closedPort } from '../servers.ts';
import { callMcpTool, untilSeen, useMcpServers } from './use-mcp-servers.ts';

const args = { city: 'Tokyo' };

describe.each(['newest', 'sessions'] as const)('an MCP server of kind %s', (kind) => {
  test('its tools are listed as definitions, with effects from their hints', async () => {
    await using externalServer = await openExternalMcpServer({ kind });
    await using servers = useMcpServers({ cities: { url: externalServer.url } });
    await untilSeen(servers, 'cities__look_up');

    const { tools } = await servers.list();

    expect(tools.map(({ name, effect }) => [name, effect])).toEqual([
      ['cities__book', 'at_most_once'],
      ['cities__look_up', 'none'],
      ['cities__measure', 'none'],
      ['cities__odd_name_bf2eb8ac', 'none'],
      ['cities__visit', 'idempotent'],
      ['cities__wait', 'at_most_once'],
    ]);
    expect(tools[1]).toMatchObject({
      description: 'Looks up a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      execution: { kind: 'mcp', server: 'cities' },
    });
    expect(tools[0]?.description).toBe('Books a city');
    expect(servers.warnings).toEqual([]);
  });

  test('a call returns its text, and structured content that no text repeats', async () => {
    await using externalServer = await openExternalMcpServer({ kind });
    await using servers = useMcpServers({ cities: { url: externalServer.url } });

    const text = await callMcpTool(servers, 'cities__look_up', { args });
    const structured = await callMcpTool(servers, 'cities__measure', { args });

    expect(text).toMatchObject({ status: 'success', content: 'Tokyo is a city', attempts: 1, truncated: false });
    expect(structured).toMatchObject({ status: 'success', content: '{"city":"Tokyo","celsius":22}' });
  });

  test('a call carries its idempotency key and its turn', async () => {
    await using externalServer = await openExternalMcpServer({ kind });
    await using servers = useMcpServers({ cities: { url: externalServer.url } });

    await callMcpTool(servers, 'cities__visit', { args });

    expect(externalServer.calls[0]?.meta).toMatchObject({
      'pawl/idempotency_key': 'turn_1.1.call_1',
      'pawl/turn_id': 'turn_1',
    });
  });

  test('an error of the tool is the answer, with structured content as details', async () => {
    await using externalServer = await openExternalMcpServer({ kind });
    await using servers = useMcpServers({ cities: { url: externalServer.url } });

    const full = await callMcpTool(servers, 'cities__book', { args, effect: 'at_most_once' });
    const none = await callMcpTool(servers, 'cities__look_up', { args: { city: 'Atlantis' } });

    const details = { city: 'Tokyo', beds: 0 };
    expect(full.error).toEqual({ category: 'unknown', message: 'Tokyo is full', details });
    expect(none.error).toEqual({ category: 'unknown', message: 'No such city', details: {} });
  });

  test('a tool that the server does not know is resource_not_found', async () => {
    await using externalServer = await openExternalMcpServer({ kind });
    await using servers = useMcpServers({ cities: { url: externalServer.url } });

    const result = await callMcpTool(servers, 'cities__nothing');

    expect(result.error).toMatchObject({ category: 'resource_not_found', message: 'Tool nothing not found' });
  });

  test('a call that takes too long is aborted and cancelled at the server', async () => {
    await using externalServer = await openExternalMcpServer({ kind });
    await using servers = useMcpServers({ cities: { url: externalServer.url } });
    await untilSeen(servers, 'cities__wait');

    const result = await callMcpTool(servers, 'cities__wait', { timeout_ms: 1_500 });
    const call = await externalServer.arrival(1);
    await call.left;
    await externalServer.quiet();

    expect(result.error).toEqual({
      category: 'execution_timeout',
      message: 'The tool did not answer within 1500 ms.',
      details: {},
    });
  });

  test('a cancelled call ends at once and is cancelled at the server', async () => {
    await using externalServer = await openExternalMcpServer({ kind });
    await using servers = useMcpServers({ cities: { url: externalServer.url } });
    const stop = new AbortController();

    const result = callMcpTool(servers, 'cities__wait', { signal: stop.signal });
    const call = await externalServer.arrival(1);
    stop.abort('cancelled');

    await expect(result).rejects.toBe('cancelled');
    await call.left;
  });

  test('a lost server is a network_error at once, and is used when it returns', async () => {
    const externalServer = await openExternalMcpServer({ kind });
    await using servers = useMcpServers({ cities: { url: externalServer.url } });

    const { promise: underWay, resolve: progress } = Promise.withResolvers<unknown>();
    const broken = callMcpTool(servers, 'cities__wait', { progress });
    const reported = await underWay;
    await externalServer[Symbol.asyncDispose]();
    const lost = await broken;
    const refused = await callMcpTool(servers, 'cities__look_up', { args });
    await using _again = await openExternalMcpServer({ kind, port: externalServer.port });
    const answered = await callMcpTool(servers, 'cities__look_up', { args });

    expect(reported).toEqual({ progress: 1, total: 2 });
    expect(lost.error).toMatchObject({ category: 'network_error', message: expect.stringContaining('was lost') });
    expect(refused.error).toMatchObject({
      category: 'network_error',
      message: expect.stringContaining('(ECONNREFUSED)'),
    });
    expect(answered.content).toBe('Tokyo is a city');
  });

  test('a restarted server answers the next call within the same attempt', async () => {
    const externalServer = await openExternalMcpServer({ kind });
    await using servers = useMcpServers({ cities: { url: externalServer.url } });
    await callMcpTool(servers, 'cities__look_up', { args });
    await externalServer[Symbol.asyncDispose]();
    await using again = await openExternalMcpServer({ kind, port: externalServer.port });
    await fetch(again.url);

    const answered = await callMcpTool(servers, 'cities__look_up', { args, effect: 'at_most_once' });

    expect(answered).toMatchObject({ status: 'success', attempts: 1 });
    expect(again.calls).toHaveLength(1);
  });
});

test('an at_most_once call is retried only if no request was sent', async () => {
  const externalServer = await openExternalMcpServer();
  await using servers = useMcpServers({ cities: { url: externalServer.url } });
  const retry = { max_attempts: 2, backoff_ms: 0 };

  const broken = callMcpTool(servers, 'cities__wait', { effect: 'at_most_once', retry });
  await externalServer.arrival(1);
  await externalServer[Symbol.asyncDispose]();
  const lost = await broken;
  const refused = await callMcpTool(servers, 'cities__wait', { effect: 'at_most_once', retry });

  expect([lost.error?.category, lost.attempts]).toEqual(['outcome_unknown', 1]);
  expect([refused.error?.category, refused.attempts]).toEqual(['network_error', 2]);
});

test('simultaneous and later calls share one connection', async () => {
  await using externalServer = await openExternalMcpServer({ kind: 'sessions' });
  await using servers = useMcpServers({ cities: { url: externalServer.url } });
  const twice = () => Promise.all([1, 2].map(() => callMcpTool(servers, 'cities__look_up', { args })));

  const results = [...(await twice()), ...(await twice())];

  expect(results.map(({ content }) => content)).toEqual(Array(4).fill('Tokyo is a city'));
  expect(externalServer.sessions()).toBe(1);
});

test('a closed connection ends its session', async () => {
  await using externalServer = await openExternalMcpServer({ kind: 'sessions' });
  const servers = useMcpServers({ cities: { url: externalServer.url } });
  await callMcpTool(servers, 'cities__look_up', { args });

  await servers.close();

  expect(externalServer.sessions()).toBe(0);
});

test('simultaneous calls share the failure to connect', async () => {
  await using externalServer = await openExternalServer(() => ({ status: 503, body: 'starting' }));
  await using servers = useMcpServers({ cities: { url: externalServer.url } });

  const results = await Promise.all([1, 2, 3].map(() => callMcpTool(servers, 'cities__look_up', { args })));
  const next = await callMcpTool(servers, 'cities__look_up', { args });

  expect([...results, next].map(({ error }) => error?.category)).toEqual(Array(4).fill('network_error'));
  expect(externalServer.caught).toHaveLength(2);
});

test.each([
  [401, 'authentication_failed'],
  [403, 'permission_denied'],
  [429, 'rate_limited'],
])('a server that answers %i is %s, with the text of the server', async (status, category) => {
  await using externalServer = await openExternalServer(() => ({ status, body: 'not you' }));
  const headers = { authorization: 'Bearer of-mine' };
  await using servers = useMcpServers({ cities: { url: externalServer.url, headers } });

  const { error } = await callMcpTool(servers, 'cities__look_up', { args });

  expect(error).toEqual({
    category,
    message: `The MCP server "cities" answered ${status}: not you`,
    details: { status },
  });
  expect(externalServer.caught[0]?.headers.authorization).toBe('Bearer of-mine');
});

test('a call to a server that does not answer ends at its timeout', async () => {
  await using externalServer = await openExternalServer(() => null);
  await using servers = useMcpServers({ cities: { url: externalServer.url } });

  const result = await callMcpTool(servers, 'cities__look_up', { args, timeout_ms: 100, effect: 'at_most_once' });

  expect(result.error).toMatchObject({ category: 'execution_timeout' });
});

test('the last known tools are listed before the timeout of a silent server', async () => {
  const url = `http://127.0.0.1:${await closedPort()}/mcp`;
  await using deaf = await openExternalServer(() => null);
  await using externalServer = await openExternalMcpServer();
  await using servers = useMcpServers({ gone: { url }, deaf: { url: deaf.url }, cities: { url: externalServer.url } });
  await untilSeen(servers, 'cities__look_up');

  const { tools } = await servers.list();
  const given = deaf.caught[0]!.left.then(() => 'up');

  expect(await Promise.race([given, new Promise((resolve) => setImmediate(resolve))])).toBeUndefined();
  expect(new Set(tools.map(({ execution }) => execution?.kind === 'mcp' && execution.server))).toEqual(
    new Set(['cities']),
  );
  expect(servers.warnings.map(([about]) => about.mcp_server)).toContain('gone');
});

test('a tool is found, unknown, or unavailable with its server', async () => {
  const url = `http://127.0.0.1:${await closedPort()}/mcp`;
  await using externalServer = await openExternalMcpServer();
  await using servers = useMcpServers({ gone: { url }, cities: { url: externalServer.url } });

  const names = ['cities__look_up', 'cities__nothing', 'cities__odd.name', 'nobody__look_up', 'cities', 'gone__any'];
  const found = await Promise.all(names.map((name) => servers.find(name)));

  expect(found.map(({ kind }) => kind)).toEqual(['found', 'unknown', 'unknown', 'unknown', 'unknown', 'unavailable']);
});
