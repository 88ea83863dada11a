import { expect, test } from 'vitest';
import { LISTING_KINDS, openListingServer } from './listing-server.ts';
import { callMcpTool, useMcpServers } from './use-mcp-servers.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const text = { type: 'text', text: 'hello' };

async function useResult(kind: (typeof LISTING_KINDS)[number], content: object[]) {
  const tools = [{ name: 'show', inputSchema: { type: 'object' } }];
  await using server = await openListingServer(kind, { tools, results: { show: { content } } });
  await using servers = useMcpServers({ s: server.config });
  return await callMcpTool(servers, 's__show');
}

test.each(LISTING_KINDS)('a resource link shows all its fields (%s)', async (kind) => {
  const link = {
    ...{ type: 'resource_link', uri: 'file:///a.csv', name: 'a.csv', title: 'Sales "2026"', mimeType: 'text/csv' },
    ...{ size: 120, description: 'By month' },
  };

  const { status, content } = await useResult(kind, [text, link, { type: 'resource_link', uri: 'file:///b' }]);

  expect(status).toBe('success');
  expect(content?.split('\n')).toEqual([
    'hello',
    '[link to file:///a.csv, name "a.csv", title "Sales \\"2026\\"", text/csv, 120 bytes, description "By month"]',
    '[link to file:///b]',
  ]);
});

test.each(LISTING_KINDS)('an image in a resource is an image of the result, after its address (%s)', async (kind) => {
  const resource = { uri: 'file:///a.png', mimeType: 'image/png', blob: PNG };

  const result = await useResult(kind, [text, { type: 'resource', resource }]);

  expect(result).toMatchObject({
    status: 'success',
    parts: [
      { type: 'input_text', text: 'hello' },
      { type: 'input_text', text: '[resource file:///a.png, image/png, 70 bytes]' },
      { type: 'input_image' },
    ],
  });
});

test('audio in a resource is audio of the result', async () => {
  const blob = Buffer.from('RIFF....WAVEfmt ').toString('base64');

  const { parts } = await useResult('sessions', [
    { type: 'resource', resource: { uri: 'a', mimeType: 'audio/wav', blob } },
  ]);

  expect(parts?.map(({ type }) => type)).toEqual(['input_text', 'input_audio']);
});

test.each([
  ['of another type', 'application/zip'],
  ['without a type', undefined],
  ['that is not an image', 'image/png'],
])('a resource with data %s becomes a note', async (_, mimeType) => {
  const resource = { uri: 'file:///a', mimeType, blob: Buffer.from('twelve bytes').toString('base64') };

  const { status, content, parts } = await useResult('sessions', [{ type: 'resource', resource }]);

  expect([status, content]).toEqual(['success', `[resource file:///a, ${mimeType ?? 'unknown type'}, 12 bytes]`]);
  expect(parts).toBeUndefined();
});

test.each(LISTING_KINDS)('a block of an unknown kind becomes a note in a successful result (%s)', async (kind) => {
  const video = { type: 'video', data: 'A'.repeat(5_000), mimeType: 'video/mp4' };

  const { status, content } = await useResult(kind, [{ type: 'chart', points: [1, 2] }, video, text]);

  expect(status).toBe('success');
  expect(content?.split('\n')).toEqual([
    '{"type":"chart","points":[1,2]}',
    '[content of type "video" that cannot be read, 5049 characters of JSON]',
    'hello',
  ]);
});
