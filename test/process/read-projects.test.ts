import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plainProject } from '#core/project.ts';
import { parseToolSecrets } from '#core/tools/http/secrets.ts';
import { keyIdOf } from '#services/process/projects/access-keys.ts';
import { readProjects } from '#services/process/projects/read-projects.ts';
import { readSettings } from '#services/process/settings.ts';
import { newFolder } from '#test/harness/new-folder.ts';

const read = (PAWL_PROJECTS: string, more: Record<string, string> = {}) =>
  readProjects(readSettings({ PAWL_PROJECTS, ...more }), parseToolSecrets(more.PAWL_SECRETS));

const WEB = {
  keys: [
    'key-of-web',
    { key: 'reader-of-web', scopes: ['read'] },
    { key: 'other-of-web', allowed_agents: ['support'] },
  ],
  weight: 2.5,
  max_active_turns: 50,
  max_queued_turns: 10_000,
  requests_per_minute: 600,
  tokens_per_day: 5_000_000,
  allowed_models: ['openai/*', 'anthropic/claude-1'],
  allowed_agents: ['support', 'sales'],
  secrets: ['github'],
  retention_days: 30,
};

test('a project has its configured fields, and omitted fields are unlimited', () => {
  const { projects, keys } = read(JSON.stringify({ web: WEB, plain: {} }), {
    PAWL_SECRETS: 'github:ghp_12345',
    PAWL_API_KEYS: 'short:key-of-short',
  });

  expect(projects).toEqual([
    plainProject('short'),
    {
      ...{ name: 'web', weight: 2.5, maxActiveTurns: 50, maxQueuedTurns: 10_000, requestsPerMinute: 600 },
      ...{ tokensPerDay: 5_000_000, allowedModels: ['openai/*', 'anthropic/claude-1'], secrets: ['github'] },
      ...{ allowedAgents: ['support', 'sales'], retentionDays: 30 },
      agentsOfKeys: new Map([[keyIdOf('other-of-web'), ['support']]]),
    },
    plainProject('plain'),
  ]);
  const usual = ['read', 'write', 'approve'];
  expect(keys).toEqual([
    { project: 'short', key: 'key-of-short', scopes: usual, place: 'PAWL_API_KEYS[0]' },
    { project: 'web', key: 'key-of-web', scopes: usual, place: 'PAWL_PROJECTS.web.keys[0]' },
    { project: 'web', key: 'reader-of-web', scopes: ['read'], place: 'PAWL_PROJECTS.web.keys[1]' },
    { project: 'web', key: 'other-of-web', scopes: usual, place: 'PAWL_PROJECTS.web.keys[2]' },
  ]);
});

test('a project of PAWL_API_KEYS is configured once, with its fields in PAWL_PROJECTS', () => {
  const PAWL_API_KEYS = 'web:key-of-web,web:second-of-web,short:key-of-short';

  expect(read('{"web":{"weight":3}}', { PAWL_API_KEYS }).projects).toEqual([
    { ...plainProject('web'), weight: 3 },
    plainProject('short'),
  ]);
});

test('PAWL_PROJECTS reads a file if its path follows @', async () => {
  await using folder = await newFolder('projects');
  const file = join(folder.path, 'projects.json');
  await writeFile(file, '\uFEFF{"web":{"keys":["key-of-web"]}}');

  expect(read(`@${file}`).keys).toMatchObject([{ project: 'web', key: 'key-of-web' }]);
});

test.each([
  ['{"web":{} "x":1}', 'PAWL_PROJECTS: this is not valid JSON, at line 1 column 11. Give JSON such as'],
  ['[]', 'PAWL_PROJECTS: this is not an object of projects.'],
  ['{"web":{},\n "w\\u0065b":{}}', 'PAWL_PROJECTS: the name at line 2 column 2 is given twice.'],
  ['{"web":{"weight":1,"keys":["a:","{"],"weight" : 2}}', 'the name at line 1 column 38 is given twice.'],
  ['sk-key', 'PAWL_PROJECTS: this is not valid JSON, at line 1 column 1. Give JSON such as'],
  ['@/no/such.json', 'PAWL_PROJECTS: the file /no/such.json cannot be read (ENOENT).'],
  ['{"web":{"weigth":2}}', 'PAWL_PROJECTS.web: unknown field “weigth”. Known fields: keys, weight, max_active_turns,'],
  ['{"web":{"sk-key":2}}', 'PAWL_PROJECTS.web: unknown field. Known fields: keys, weight,'],
  [
    '{"web":{"keys":[{"key":"sk-key","scope":[]}]}}',
    'PAWL_PROJECTS.web.keys[0]: unknown field “scope”. Known fields: key,',
  ],
  ['{"web":{"keys":"sk-key"}}', 'PAWL_PROJECTS.web.keys: give a list of keys.'],
  ['{"web":{"keys":["ok-12345","sk-key is two"]}}', 'PAWL_PROJECTS.web.keys[1]: give a key of visible ASCII'],
  ['{"web":{"keys":[["sk-key"]]}}', 'PAWL_PROJECTS.web.keys[0]: give a key of visible ASCII'],
  ['{"web":{"keys":[{"key":"sk-key","scopes":["sk-key"]}]}}', 'PAWL_PROJECTS.web.keys[0].scopes[0]: give a list of'],
  ['{"web":{"keys":[{"key":"sk-key","scopes":[]}]}}', 'PAWL_PROJECTS.web.keys[0].scopes: give a list of one or more'],
  [
    '{"web":{"keys":["sk-key","sk-key"]}}',
    'PAWL_PROJECTS.web.keys[1]: this key is also given at PAWL_PROJECTS.web.keys[0]',
  ],
  ['{"a":{"keys":["sk-key"]},"b":{"keys":[{"key":"sk-key"}]}}', 'PAWL_PROJECTS.b.keys[0]: this key is also given at'],
  ['{"sk-key":"web"}', 'PAWL_PROJECTS: project 1 is not an object.'],
  ['{"ok":{},"sk key":{}}', 'PAWL_PROJECTS: the name of project 2 is not valid: use up to'],
  ['{"__proto__":[]}', 'PAWL_PROJECTS: project 1 is not an object.'],
  ['{"__proto__":{"keys":["a-key"]}}', 'PAWL_PROJECTS.__proto__: this name is reserved'],
  ['{"web":{"weight":0}}', 'PAWL_PROJECTS.web.weight: give a number above 0.'],
  ['{"web":{"max_active_turns":0}}', 'PAWL_PROJECTS.web.max_active_turns: give a whole number from 1 to'],
  ['{"web":{"requests_per_minute":"600"}}', 'PAWL_PROJECTS.web.requests_per_minute: give a whole number from 0 to'],
  ['{"web":{"tokens_per_day":1.5}}', 'PAWL_PROJECTS.web.tokens_per_day: give a whole number'],
  ['{"web":{"allowed_agents":["support@1"]}}', 'PAWL_PROJECTS.web.allowed_agents[0]: give names of agents,'],
  ['{"web":{"keys":[{"key":"a","allowed_agents":"b"}]}}', 'PAWL_PROJECTS.web.keys[0].allowed_agents: give a list'],
  ['{"web":{"allowed_models":["*/gpt"]}}', 'PAWL_PROJECTS.web.allowed_models[0]: give models as provider/model,'],
  ['{"web":{"secrets":["github"]}}', 'PAWL_PROJECTS.web.secrets[0]: PAWL_SECRETS has no secret of this name.'],
  ['{"web":{"retention_days":0}}', 'PAWL_PROJECTS.web.retention_days: give days as a number above 0 and below 100000.'],
])('%s is refused in one sentence with its path, without a key', (text, sentence) => {
  const refusal = refusalOf(() => read(text));

  expect(refusal).toContain(sentence);
  expect(refusal).not.toContain('sk-key');
  expect(refusal).not.toContain('\n');
});

test('a project keeps its turns for a fraction of a day, like PAWL_RETENTION_DAYS', () => {
  expect(read('{"web":{"retention_days":0.5}}').projects).toMatchObject([{ name: 'web', retentionDays: 0.5 }]);
});

test('a key of PAWL_API_KEYS that is in PAWL_PROJECTS too is refused', () => {
  const more = { PAWL_API_KEYS: 'me:ok-12345, other:sk-key' };

  const refusal = refusalOf(() => read('{"web":{"keys":["sk-key"]}}', more));

  expect(refusal).toBe('PAWL_PROJECTS.web.keys[0]: this key is also given at PAWL_API_KEYS[1]. Give each key once.');
});

test('an invalid entry of PAWL_API_KEYS is named by its index', () => {
  expect(refusalOf(() => read('{}', { PAWL_API_KEYS: 'me:ok-12345,sk-key' }))).toBe(
    'PAWL_API_KEYS[1]: PAWL_API_KEYS must be a comma-separated list of project:key.',
  );
});

function refusalOf(start: () => unknown): string {
  try {
    start();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('It was not refused.');
}
