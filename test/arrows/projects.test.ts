import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Source, walkSources } from '#test/arrows/walk-sources.ts';
import { projects } from '../../vitest.config.ts';
import crash from '../../vitest.crash.config.ts';
import restarts from '../../vitest.restarts.config.ts';

const cwd = new URL('../../', import.meta.url);
const sources = new Map(walkSources().map((source) => [source.path, source]));
const configured = [...projects.map(({ test }) => test), crash.test, restarts.test];
const [unit, integration] = configured.map(filesOf);

/** The files that start a part of Pawl or a browser. The run starts its stores itself. */
const STARTERS = [
  'test/harness/parts/start-program.ts',
  'test/harness/parts/start-part.ts',
  'test/inspector/browser-suite.ts',
];

test('every test file belongs to one project or one command', () => {
  const all = filesOf({ include: ['test/**/*.test.ts'], exclude: ['**/node_modules/**'] });

  expect(configured.flatMap(filesOf).sort()).toEqual(all.sort());
});

test('a test that starts a part of Pawl or a browser is an e2e test', () => {
  const starting = [...unit!, ...integration!].filter((path) => reaches(path, STARTERS));

  expect(starting, 'add the file to E2E in vitest.config.ts').toEqual([]);
});

function filesOf({ include = [], exclude = [] }: { include?: string[]; exclude?: string[] } = {}): string[] {
  return globSync(include, { cwd, exclude }).map((path) => path.replaceAll('\\', '/'));
}

/** Returns whether a file runs code of one of these files. */
function reaches(path: string, goals: string[], seen = new Set<string>()): boolean {
  if (goals.includes(path)) return true;
  if (seen.has(path) || path === 'test/harness/stores/redis/open-redis.ts') return false;
  seen.add(path);
  return importsOf(sources.get(path)).some((to) => reaches(to, goals, seen));
}

function importsOf(source: Source | undefined): string[] {
  return source?.arrows.flatMap(({ to, isOurs, isType }) => (to && isOurs && !isType ? [to] : [])) ?? [];
}
