import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { unknownVariables } from '#services/process/settings/unknown-variables.ts';
import { readSettings } from '#services/process/settings.ts';
import { surroundings } from '#test/harness/parts/start-program.ts';
import { test } from '#test/harness/test.ts';

/** Starts a part that cannot start, and returns its exit code and its standard error. */
async function failToStart(part: string, env: Record<string, string>) {
  const main = fileURLToPath(new URL(`../../services/${part}/main.ts`, import.meta.url));
  const options = { env: { ...surroundings(), ...env }, timeout: 50_000 };
  const failed = await promisify(execFile)(process.execPath, [main], options).catch((error: unknown) => error);
  return failed as { code: number; stderr: string };
}

test.each([
  ['PORT', '70000', 'PORT: give a whole number from 0 to 65535.'],
  ['PORT', '8080x', 'PORT: give a whole number from 0 to 65535.'],
  ['DATABASE_URL', 'postgres://me@a:5432,b:x/pawl', 'DATABASE_URL: give several hosts as host:port,host:port'],
  ['DATABASE_URL', 'postgres://a,b/pawl?target_session_attrs=any', 'DATABASE_URL: target_session_attrs must be'],
  ['DATABASE_DIRECT_URL', 'postgres://a/pawl?pgbouncer=true', 'DATABASE_DIRECT_URL: must not be the pooler'],
  ['DATABASE_DIRECT_URL', 'postgres://a/pawl', 'DATABASE_DIRECT_URL: requires DATABASE_URL, so set both.'],
  ['DATABASE_READ_URL', 'postgres://a/pawl', 'DATABASE_READ_URL: requires DATABASE_URL, so set both.'],
  ['DATABASE_READ_URL', 'mysql://a/pawl', 'DATABASE_READ_URL: must start with postgres://.'],
  ['DATABASE_READ_URL', 'postgres://a:1,b:x/pawl', 'DATABASE_READ_URL: give several hosts as host:port,host:port'],
  ['PAWL_WORKER_CONCURRENCY', '0', 'PAWL_WORKER_CONCURRENCY: give a whole number from 1 to 10000.'],
  ['PAWL_WORKER_CONCURRENCY', '1e3', 'PAWL_WORKER_CONCURRENCY: give a whole number from 1 to 10000.'],
  ['PAWL_SHUTDOWN_GRACE_MS', '-1', 'PAWL_SHUTDOWN_GRACE_MS: give a whole number from 0 to 86400000.'],
  ['PAWL_TOOL_RULES', 'lax', 'PAWL_TOOL_RULES: give one of strict, provider.'],
  ['PAWL_UNSUPPORTED_TOOLS', 'drop', 'PAWL_UNSUPPORTED_TOOLS: give one of refuse, ignore.'],
  ['PAWL_MODEL_ALIASES', '{', 'PAWL_MODEL_ALIASES: give JSON such as {"gpt-4o-mini":"ollama/qwen3"}'],
  ['PAWL_MODEL_ALIASES', '{"a":"b"}', 'PAWL_MODEL_ALIASES.a: give the model as provider/model.'],
])('%s=%s is refused in Pawl’s words, with its bounds', (name, value, sentence) => {
  expect(() => readSettings({ [name]: value })).toThrow(sentence);
});

test('libpq’s words for a replica are accepted', () => {
  const url = 'postgres://a,b/pawl?target_session_attrs=prefer-standby';

  const given = { DATABASE_URL: 'postgres://c/pawl', DATABASE_READ_URL: url };
  expect(readSettings(given)).toMatchObject(given);
});

test('a number may have spaces around it, and an empty value is absent', () => {
  expect(readSettings({ PORT: ' 81 ', PAWL_WORKER_CONCURRENCY: '' })).toMatchObject({
    PORT: 81,
    PAWL_WORKER_CONCURRENCY: 64,
  });
});

test('an unknown variable is named with the likely variable, without its value', () => {
  const env = { PAWL_API_KEYZ: 'me:of-mine', PAWL_TOOL: '', PAWL_COLOUR: 'red', PAWL_URL: 'x', PAWL_PROVIDERS: '{}' };

  expect(unknownVariables({ variables: env })).toEqual([
    'PAWL_API_KEYZ is not a variable of Pawl and is ignored. Did you mean PAWL_API_KEYS?',
    'PAWL_TOOL is not a variable of Pawl and is ignored. Did you mean PAWL_TOOLS?',
    'PAWL_COLOUR is not a variable of Pawl and is ignored.',
  ]);
});

test.skipIf(process.platform !== 'linux')(
  'a data folder that cannot be created ends the start with one sentence',
  async () => {
    const { code, stderr } = await failToStart('standalone', { PAWL_DATA_DIR: '/proc/no/such', PORT: '0' });

    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot use the data folder \/proc\/no\/such .*Set PAWL_DATA_DIR to a writable folder\.$/m);
  },
);

describe('a pooler without a direct URL ends the start with one sentence', () => {
  const env = { DATABASE_URL: 'postgres://me@127.0.0.1:1/pawl?pgbouncer=true' };

  test.each([
    [
      'worker',
      'which does not forward notifications. Set DATABASE_DIRECT_URL to the PostgreSQL server itself, or set REDIS_URL.',
    ],
    ['migrate', 'which cannot keep the lock of a migration. Set DATABASE_DIRECT_URL to its PostgreSQL server.'],
  ])('the start of %s', async (part, reason) => {
    const { code, stderr } = await failToStart(part, env);

    expect(code).toBe(1);
    expect(stderr).toBe(`DATABASE_URL is a pooler (pgbouncer=true), ${reason}\n`);
  });
});

describe('an unusable address is named', () => {
  test('by its port', async ({ harness }) => {
    const rival = createServer().listen(0, '127.0.0.1');
    await once(rival, 'listening');
    const { port } = rival.address() as AddressInfo;

    const { stderr } = await failToStart('api', { ...harness.env, PORT: String(port) });

    expect(stderr).toBe(`PORT: ${port} on 127.0.0.1 is in use. Set another port, or stop the process that uses it.\n`);
    rival.close();
  });

  test('by its host', async ({ harness }) => {
    const { stderr } = await failToStart('api', { ...harness.env, HOST: '203.0.113.9', PAWL_API_KEYS: 'me:of-mine' });

    expect(stderr).toBe(
      'HOST: 203.0.113.9 is not an address of this machine. Set an address of this machine, for example 127.0.0.1.\n',
    );
  });
});
