import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { type Installed, installPackage, run } from './install-package.ts';
import { findOldestNode } from './runtimes.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

let installed: Installed;
beforeAll(async () => {
  installed = await installPackage('cli');
});
afterAll(() => installed.remove());

/** Runs a turn with a `pawl` file, from a folder outside this repository. */
async function runFrom(folder: string, node: string, file: string) {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const args = ['run', scripted({ answer: 'Hello, Ada.' }), '--model', 'openai/test'];
  const options = { cwd: folder, env: { PATH: process.env.PATH, PAWL_URL: harness.url.replace('http://', '') } };

  const turn = await run(node, [file, ...args], options);
  const shown = await run(node, [file, '--version'], options);

  expect(turn.stdout).toMatch(/│ Hello, Ada\.\n.*✓ checkpoint r1.* · the turn is completed\n$/);
  expect(shown.stdout).toBe(`${version}\n`);
  expect(turn.stderr + shown.stderr).toBe('');
}

test('the tarball of the command line needs no other package and runs on Node 20', async () => {
  const { folder, bytes, files } = installed;
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'node_modules/@pawl-turns/cli/package.json'), 'utf8'));

  expect(dependencies).toBeUndefined();
  expect(bytes).toBeLessThan(60_000);
  expect(files.toSorted()).toEqual(
    ['LICENSE', 'README.md', 'dist/LICENSE-commander', 'dist/pawl.js', 'package.json'].map((file) => `package/${file}`),
  );
  await runFrom(folder, findOldestNode(20)?.program ?? process.execPath, join(folder, 'node_modules/.bin/pawl'));
});

test('the command line of the repository runs from any folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-elsewhere-'));

  await runFrom(folder, process.execPath, join(ROOT, 'packages/cli/pawl.cjs'));

  rmSync(folder, { recursive: true });
});
