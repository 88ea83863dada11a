import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the sums of connections in operations.md match those in sizing.md', () => {
  const [postgres = [], redis = []] = rows('docs/sizing.md', /^\| \*\*together\*\* .*$/gm);
  const [withoutRedis, withRedis, ofRedis] = rows('docs/operations.md', /^\| (?:PostgreSQL, with|Redis \|).*$/gm);
  const withQueue = postgres.at(-1)!;

  expect(postgres).toHaveLength(4);
  expect(withoutRedis).toEqual(postgres.slice(0, 3));
  expect(withRedis).toEqual([withQueue, withQueue, withQueue]);
  expect(ofRedis).toEqual(redis);
});

function rows(path: string, pattern: RegExp): number[][] {
  const lines = read(path).match(pattern) ?? [];
  return lines.map((line) => (line.match(/\d+/g) ?? []).map(Number));
}
