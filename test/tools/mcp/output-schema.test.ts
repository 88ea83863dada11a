import { expect, onTestFinished, test, vi } from 'vitest';
import { LISTING_KINDS, type Listing, openListingServer } from './listing-server.ts';
import { callMcpTool, untilSeen, useMcpServers } from './use-mcp-servers.ts';

const measured = {
  type: 'object',
  properties: { celsius: { type: 'number' }, at: { type: 'array', items: { type: 'string' } } },
  required: ['celsius'],
};
const tool = (name: string, outputSchema: unknown = measured) => ({
  ...{ name, inputSchema: { type: 'object', properties: {} }, outputSchema },
});
const text = (said: string) => ({ content: [{ type: 'text', text: said }] });
const listingOf = (outputSchema: unknown, result: object): Listing => ({
  ...{ tools: [tool('measure', outputSchema)], results: { measure: result } },
});

async function callListed(servers: ReturnType<typeof useMcpServers>, name = 's__measure') {
  await untilSeen(servers, name);
  return callMcpTool(servers, name, { effect: 'at_most_once' });
}

test.each(LISTING_KINDS)('a result that breaks the output schema of its tool is an error (%s)', async (kind) => {
  const result = { ...text('warm'), structuredContent: { celsius: 'warm', at: ['noon', 5] } };
  await using server = await openListingServer(kind, listingOf(measured, result));
  await using servers = useMcpServers({ s: server.config });

  const { status, error, attempts } = await callListed(servers);

  expect([status, attempts]).toEqual(['error', 1]);
  expect(error).toEqual({
    category: 'unknown',
    message:
      'The tool ran, but its result does not fit its output schema. ' +
      'celsius: must be number; at[1]: must be string. Do not rely on the result.',
    details: { celsius: 'must be number', 'at[1]': 'must be string' },
  });
});

test.each(LISTING_KINDS)('a result without structured content breaks the output schema (%s)', async (kind) => {
  await using server = await openListingServer(kind, listingOf(measured, text('warm')));
  await using servers = useMcpServers({ s: server.config });

  const { error } = await callListed(servers);

  expect(error?.message).toContain('Its structured content is missing.');
});

test.each([
  ['that fits', measured, { ...text('warm'), structuredContent: { celsius: 22 } }],
  ['with an error of the tool', measured, { ...text('broken'), isError: true }],
  [
    'with an error and odd content',
    measured,
    { ...text('broken'), isError: true, structuredContent: { celsius: 'x' } },
  ],
  ['of a schema with an odd id', { $id: 'x.v1' }, { ...text('warm'), structuredContent: {} }],
  ['without a schema', null, text('warm')],
])('a result %s is not refused by an output schema', async (_, outputSchema, result) => {
  await using server = await openListingServer('sessions', listingOf(outputSchema, result));
  await using servers = useMcpServers({ s: server.config });

  const { error, content } = await callListed(servers);

  expect(error?.message ?? content).toContain(result.content[0]!.text);
});

test.each([
  ['newest', ['a', 'b'], 'success'],
  ['newest', ['a', 5], 'error'],
  ['sessions', ['a', 5], 'error'],
] as const)('structured content that is a list is checked (%s, %j)', async (kind, list, status) => {
  const listing = listingOf({ type: 'array', items: { type: 'string' } }, { content: [], structuredContent: list });
  await using server = await openListingServer(kind, listing);
  await using servers = useMcpServers({ s: server.config });

  const result = await callListed(servers);

  expect(result.status).toBe(status);
  expect(result.error?.message ?? result.content).toContain(status === 'error' ? '[1]: must be string' : '["a","b"]');
});

test('a result is checked against the output schema in the current list', async () => {
  // A list is read again after ten seconds.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1);
  onTestFinished(() => clock.mockRestore());
  const listing = listingOf(measured, { ...text('warm'), structuredContent: { celsius: 'warm' } });
  await using server = await openListingServer('sessions', listing);
  await using servers = useMcpServers({ s: server.config });
  await untilSeen(servers, 's__measure');
  listing.tools = [tool('measure', { type: 'object', properties: { celsius: { type: 'string' } } })];

  const before = await callMcpTool(servers, 's__measure');
  clock.mockReturnValue(20_000);
  const after = await callMcpTool(servers, 's__measure');
  listing.results = { measure: { ...text('warm'), structuredContent: { celsius: 5 } } };
  const other = await callMcpTool(servers, 's__measure');

  expect(before.error?.details).toEqual({ celsius: 'must be number' });
  expect(after.status).toBe('success');
  expect(other.error?.details).toEqual({ celsius: 'must be string' });
});

test.each(LISTING_KINDS)('the first result is checked even without an earlier list (%s)', async (kind) => {
  const listing = listingOf(measured, { ...text('warm'), structuredContent: { celsius: 'warm' } });
  await using server = await openListingServer(kind, listing);
  await using servers = useMcpServers({ s: server.config });

  const first = await callMcpTool(servers, 's__measure');

  expect(first.error?.details).toEqual({ celsius: 'must be number' });
});

test.each([
  ['that refers elsewhere', { $ref: 'https://example.com/none.json' }, 'https://example.com/none.json'],
  ['of an unknown type', { type: 'text' }, 'valid JSON Schema'],
  ['that is a text', 'none', 'Give a JSON Schema.'],
  ['that is too large', { $comment: 'x'.repeat(70_000) }, '64 KiB'],
])('a tool with an output schema %s is offered, with a warning in the log', async (_, schema, why) => {
  const listing = listingOf(schema, { ...text('warm'), structuredContent: { celsius: 'warm' } });
  await using server = await openListingServer('sessions', listing);
  await using servers = useMcpServers({ s: server.config });

  const result = await callListed(servers);
  await servers.list();

  expect(result.status).toBe('success');
  expect(servers.warnings).toEqual([
    [{ mcp_server: 's', tool: 's__measure' }, expect.stringMatching(/^the results of a tool are not checked: /)],
  ]);
  expect(servers.warnings[0]?.[1]).toContain(why);
});

test('a result is accepted if its check does not finish', async () => {
  const endless = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
  const structuredContent = { text: `${'a'.repeat(40)}!` };
  await using server = await openListingServer('sessions', listingOf(endless, { content: [], structuredContent }));
  await using servers = useMcpServers({ s: server.config });

  const result = await callListed(servers);

  expect(result).toMatchObject({ status: 'success', content: JSON.stringify(structuredContent) });
});
