import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const cwd = new URL('../../docs/decisions/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, cwd), 'utf8');
const files = globSync('[0-9]*.md', { cwd }).sort();

test('the index of decisions lists each decision once, with its title and its status', () => {
  const listed = read('README.md').match(/^- .*$/gm) ?? [];

  expect(listed.toSorted()).toEqual(files.map(entryOf).toSorted());
});

test('a decision that changes an earlier decision has a later number', () => {
  const wrong = files.filter((file) => changersOf(file).some((number) => number <= Number.parseInt(file, 10)));

  expect(wrong).toEqual([]);
});

function entryOf(file: string): string {
  const [, title] = /^# (.+)$/m.exec(read(file)) ?? [];
  const status = statusOf(file);
  const note = status === 'accepted' ? '' : ` *(${status.split(' by ')[0]} by ${changersOf(file).join(', ')})*`;
  return `- [${title}](${file})${note}`;
}

function statusOf(file: string): string {
  const [, status = 'missing'] = /^Status: (.+(?:\n.+)*)$/m.exec(read(file)) ?? [];
  return status;
}

function changersOf(file: string): number[] {
  return [...statusOf(file).matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
}
