import { expect, onTestFinished, test, vi } from 'vitest';
import { MCP_BOUNDS } from '#core/bounds/mcp-bounds.ts';
import { headerProblem } from '#core/tools/mcp/list/header-problem.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openScriptedMcpServer } from './scripted-server.ts';
import { untilSeen, useMcpServers } from './use-mcp-servers.ts';

const objectOf = (properties: object) => ({ type: 'object', properties });
const header = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name });
const good = { name: 'good', inputSchema: objectOf({ city: header('City') }) };
const bad = (name: string) => ({ name, inputSchema: objectOf({ [name]: header(`a header\n${name}`) }) });

async function openListingServer(onTools: () => object[], isNewest = true) {
  const onList = () => ({ resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: onTools() });
  return openScriptedMcpServer({ hasSessions: false, isNewest, onCall: () => {}, onList });
}

test('a tool with a forbidden header is left out, and the console hides its text', async () => {
  const console = spyOnConsole();
  const names = ['forged\n{"level":50,"event":"turn.failed"}', `long${'g'.repeat(400)}`, 'sk-of-ours'];
  await using server = await openListingServer(() => [good, ...names.map(bad)]);
  await using servers = useMcpServers({ scripted: { url: server.url } });

  await untilSeen(servers, 'scripted__good');
  const { tools: offered } = await servers.list();

  expect(offered.map(({ name }) => name)).toEqual(['scripted__good']);
  expect(servers.warnings).toEqual(
    [`scripted__${names[0]}`, `scripted__long${'g'.repeat(85)}…`, 'scripted__[redacted]'].map((tool) => [
      { mcp_server: 'scripted', tool },
      'a tool was left out: Give each `x-mcp-header` the name of a header.',
    ]),
  );
  expect(console.flatMap(({ mock }) => mock.calls)).toEqual([]);
});

test('a tool with a forbidden header is offered if its server reads no headers', async () => {
  await using server = await openListingServer(() => [bad('offered')], false);
  await using servers = useMcpServers({ scripted: { url: server.url } });

  await untilSeen(servers, 'scripted__offered');

  expect(servers.warnings).toEqual([]);
});

test('the log of left-out tools is bounded', async () => {
  const tools = Array.from({ length: 1_500 }, (_, number) => bad(`tool_${number}`));
  await using server = await openListingServer(() => [good, ...tools]);
  await using servers = useMcpServers({ scripted: { url: server.url } });

  await untilSeen(servers, 'scripted__good');

  expect(servers.warnings.length).toBeGreaterThanOrEqual(MCP_BOUNDS.leftOutBurst);
  expect(servers.warnings.length).toBeLessThan(1_000);
});

test('a repeated page of tools is the last page', async () => {
  let pages = 0;
  await using server = await openScriptedMcpServer({
    ...{ hasSessions: true, onCall: () => {} },
    onList: () => {
      pages += 1;
      return { tools: [{ ...good, name: pages === 1 ? 'first' : 'next' }], nextCursor: 'again' };
    },
  });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  await waitUntil(async () => expect((await servers.list()).tools.length).toBeGreaterThan(0));
  const { tools } = await servers.list();

  expect(tools.map(({ name }) => name)).toEqual(['scripted__first', 'scripted__next']);
  expect(pages).toBe(3);
});

test.each([
  ['of an argument', objectOf({ city: header('City'), days: header('Days', 'integer') })],
  ['of a property of an object', objectOf({ place: objectOf({ city: header('City') }) })],
  [
    'in data, and as the name of an argument',
    { ...objectOf({ 'x-mcp-header': { type: 'string' } }), default: header(1) },
  ],
])('a header %s is valid', (_, schema) => {
  expect(headerProblem(schema)).toBeNull();
});

test.each([
  ['in a list', objectOf({ cities: { type: 'array', items: header('City') } }), 'only on arguments'],
  ['in a choice', objectOf({ city: { anyOf: [header('City')] } }), 'only on arguments'],
  ['in a definition', { ...objectOf({}), $defs: { city: objectOf({ name: header('City') }) } }, 'only on arguments'],
  ['of all arguments', { ...objectOf({}), 'x-mcp-header': 'City' }, 'only on arguments'],
  ['without a name', objectOf({ city: header('') }), 'the name of a header'],
  ['with a number for its name', objectOf({ city: header(1) }), 'the name of a header'],
  ['of an object', objectOf({ city: header('City', 'object') }), 'strings, integers and booleans'],
  ['of a number', objectOf({ degrees: header('Degrees', 'number') }), 'strings, integers and booleans'],
  ['with the name of another', objectOf({ city: header('City'), town: header('CITY') }), 'its own name'],
])('a header %s is invalid', (_, schema, sentence) => {
  expect(headerProblem(schema)).toContain(sentence);
});

function spyOnConsole() {
  onTestFinished(() => void vi.restoreAllMocks());
  return (['debug', 'log', 'info', 'warn', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => {}),
  );
}
