import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { loadEnvFile } from '#services/process/settings.ts';
import { surroundings } from '#test/harness/parts/start-program.ts';

function folderWith(envFile: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-env-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, '.env'), envFile);
  return folder;
}

/** Starts a part that cannot start, in a folder, and returns its standard error. */
async function failIn(cwd: string, part: string, env: Record<string, string> = {}): Promise<string> {
  const main = fileURLToPath(new URL(`../../services/${part}/main.ts`, import.meta.url));
  const { PAWL_ENV_FILE: _, ...around } = surroundings();
  const options = { cwd, env: { ...around, ...env }, timeout: 100_000 };
  const failed = await promisify(execFile)(process.execPath, [main], options).catch((error: unknown) => error);
  return (failed as { stderr: string }).stderr;
}

test.each(['standalone', 'api', 'worker', 'migrate'])('%s reads its settings from a file .env', async (part) => {
  const folder = folderWith('# of this machine\nPORT=70000\n');

  expect(await failIn(folder, part)).toBe('PORT: give a whole number from 0 to 65535.\n');
});

test('the environment overrides the file .env, also with an empty variable', async () => {
  const folder = folderWith('PORT=70000\nDATABASE_URL=mysql://a/b\n');

  expect(await failIn(folder, 'api', { PORT: '1', DATABASE_URL: '' })).toMatch(/^DATABASE_URL is not set\./);
});

test('PAWL_ENV_FILE names another file, and its names are logged without their values', () => {
  const path = join(folderWith('PAWL_API_KEYS="me:secret"\nPORT=81\n'), '.env');
  const env: Record<string, string | undefined> = { PAWL_ENV_FILE: path, PORT: '82' };

  expect(loadEnvFile(env)).toEqual({ path, added: ['PAWL_API_KEYS'] });
  expect(env).toEqual({ PAWL_ENV_FILE: path, PORT: '82', PAWL_API_KEYS: 'me:secret' });
});

test('a missing file in PAWL_ENV_FILE ends the start with a sentence', async () => {
  const written = await failIn(folderWith(''), 'api', { PAWL_ENV_FILE: 'none.env' });

  expect(written).toBe('The file none.env is not readable. Check the file, or PAWL_ENV_FILE.\n');
});
