import { expect, test } from 'vitest';
import { readMcpServers } from '#core/tools/mcp/config.ts';

const url = 'https://example.com/mcp';

test('MCP servers are read from the JSON of other clients, none from no text', () => {
  const servers = readMcpServers(
    JSON.stringify({
      github: { url, headers: { Authorization: 'Bearer of-mine' } },
      local: { url: 'http://127.0.0.1:9/mcp' },
      'my-files-2': { command: 'npx', args: ['-y', 'files', '/data'], env: { ROOT: '/data' } },
      bare: { command: 'serve' },
    }),
  );

  expect(Object.fromEntries(servers)).toEqual({
    github: { url, headers: { Authorization: 'Bearer of-mine' } },
    local: { url: 'http://127.0.0.1:9/mcp', headers: {} },
    'my-files-2': { command: 'npx', args: ['-y', 'files', '/data'], env: { ROOT: '/data' } },
    bare: { command: 'serve', args: [], env: {} },
  });
  expect([readMcpServers(undefined).size, readMcpServers(' ').size]).toEqual([0, 0]);
});

test.each<[given: unknown, sentence: string]>([
  ['{"github":', 'PAWL_MCP: this is not valid JSON, at line 1 column 10.'],
  [[], 'PAWL_MCP: '],
  [{ GitHub: { url } }, 'PAWL_MCP.GitHub: use a name of'],
  [{ my__hub: { url } }, 'PAWL_MCP.my__hub: use a name of'],
  [{ pawl: { url } }, 'PAWL_MCP.pawl: choose another name'],
  [{ http: { url } }, 'PAWL_MCP.http: choose another name'],
  [{ github: 'npx' }, 'PAWL_MCP.github: '],
  [{ github: {} }, 'PAWL_MCP.github.url: give an http or https URL.'],
  [{ github: { url: 'file:///etc' } }, 'PAWL_MCP.github.url: give an http or https URL.'],
  [{ github: { url: 'https://me:of-mine@example.com' } }, 'PAWL_MCP.github.url: put credentials into headers'],
  [{ github: { url, headers: { 'X Y': 'of-mine' } } }, 'PAWL_MCP.github.headers.X Y: name the header'],
  [{ github: { url, headers: { 'X-Key': 'of-mine\n' } } }, 'PAWL_MCP.github.headers.X-Key: give visible'],
  [{ github: { url, token: 'of-mine' } }, 'PAWL_MCP.github: Unrecognized key: "token".'],
  [{ github: { url, command: 'npx' } }, 'PAWL_MCP.github: Unrecognized key: "url".'],
  [{ files: { command: '' } }, 'PAWL_MCP.files.command: '],
  [{ files: { command: 'npx', args: '-y of-mine' } }, 'PAWL_MCP.files.args: '],
  [{ files: { command: 'npx', env: { KEY: 5 } } }, 'PAWL_MCP.files.env.KEY: '],
])('the value %j is refused with its path and without its values', (given, sentence) => {
  const read = () => readMcpServers(typeof given === 'string' ? given : JSON.stringify(given));

  expect(read).toThrow(sentence);
  expect(read).not.toThrow('of-mine');
});
