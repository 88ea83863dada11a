import { expect, test } from 'vitest';
import { findCycles } from './arrows/find-cycles.ts';
import { findTelltales } from './arrows/find-telltales.ts';
import { owners } from './arrows/owners.ts';
import { roomOf, rooms } from './arrows/rooms.ts';
import { type Arrow, walkSources } from './arrows/walk-sources.ts';

const sources = walkSources();
const product = sources.filter(({ path }) => /^(packages|services|simulator|examples)\//.test(path));
const arrows = sources.flatMap((source) => source.arrows);
const told = ({ from, to }: Arrow) => `${from} → ${to}`;

console.log(`walked ${sources.length} files, ${arrows.length} imports, ${Object.keys(rooms).length} rooms`);

test('every file lies in a room', () => {
  const lost = sources.filter(({ path }) => !roomOf(path)).map(({ path }) => path);

  expect(lost, 'enter the new room and what it may import in test/arrows/rooms.ts, or move the file').toEqual([]);
});

for (const [room, allowed] of Object.entries(rooms)) {
  test(`${room} imports ${allowed.map((other) => other.replace('packages/core/', '')).join(', ') || 'no other room'}`, () => {
    const leaving = arrows.filter(
      ({ from, to, isOurs }) => isOurs && roomOf(from) === room && roomOf(to ?? '') !== room,
    );
    const wrong = leaving.filter(({ to }) => !allowed.includes(roomOf(to ?? '') ?? 'nowhere'));

    expect(wrong.map(told), `arrows out of ${room} that go against the design`).toEqual([]);
  });
}

test('the heart stands on zod and node:crypto alone', () => {
  const outside = arrows.filter(({ from, isOurs }) => roomOf(from) === 'packages/core/turn' && !isOurs);
  const wrong = outside.filter(({ to }) => to !== 'zod' && to !== 'node:crypto');

  expect(wrong.map(told), 'turn/ decides and does nothing: give it what it needs as an argument').toEqual([]);
});

test('the client runs anywhere: it takes nothing from elsewhere but a module of Node where there is no Web Crypto', () => {
  const leaving = arrows.filter(
    ({ from, to }) => roomOf(from) === 'packages/client' && roomOf(to ?? '') !== roomOf(from),
  );

  expect(leaving.map(told), 'a user of the package has nothing else').toEqual([
    'packages/client/web-crypto.ts → node:crypto',
  ]);
});

test('the command line is installed on its own: it takes the client, and of the rest what Node has', () => {
  const leaving = arrows.filter(({ from, to }) => roomOf(from) === 'packages/cli' && roomOf(to ?? '') !== roomOf(from));
  const wrong = leaving.filter(({ to }) => roomOf(to ?? '') !== 'packages/client' && !to?.startsWith('node:'));

  expect(wrong.map(told), 'its tarball holds packages/cli and packages/client').toEqual([]);
});

test('the adapter of one wire never imports that of another', () => {
  const wireOf = (path: string | null) => path?.match(/^packages\/core\/llm\/([^/]+)\//)?.[1];
  const wrong = arrows.filter(({ from, to }) => wireOf(from) && wireOf(to) && wireOf(from) !== wireOf(to));

  expect(wrong.map(told), 'what two wires share lies in llm/ itself').toEqual([]);
});

test('a package is imported only where it belongs', () => {
  const outside = product.flatMap((source) => source.arrows).filter(({ to, isOurs }) => to !== null && !isOurs);
  const foreign = outside.filter(({ to }) => !to?.startsWith('node:'));
  const wrong = foreign.filter(({ from, to }) => !owners[to ?? '']?.some((owner) => from.startsWith(owner)));

  expect(wrong.map(told), 'go through the room that owns the package (test/arrows/owners.ts)').toEqual([]);
});

test('only the loader of tools imports what it is told at run time', () => {
  const wrong = product.flatMap((source) => source.arrows).filter(({ to }) => to === null);

  expect(wrong.map(({ from }) => from)).toEqual(['packages/core/tools/load-tools.ts']);
});

test('no files import each other in a circle', () => {
  expect(findCycles(sources), 'move what both need into a file of its own').toEqual([]);
});

test('no file hands on what another exports', () => {
  const barrels = sources.filter(({ handsOn }) => handsOn).map(({ path }) => path);

  expect(barrels, 'a barrel hides where things lie: import from the file itself').toEqual([]);
});

test('a file is named for what it exports', () => {
  const named = product.filter(({ path }) => roomOf(path) !== 'examples' && !path.endsWith('/main.ts'));
  const wrong = named.filter(({ path, names }) => {
    const exported = new Set(names.flatMap(wordsOf));
    return !wordsOf(fileName(path)).every((word) => exported.has(word));
  });

  expect(
    wrong.map(({ path, names }) => `${path} exports ${names.join(', ')}`),
    'every word of a file name is a word of something it exports',
  ).toEqual([]);
});

test('no file tells where it was written', () => {
  expect(findTelltales(), 'paths and words of one workplace mean nothing in another').toEqual([]);
});

function fileName(path: string): string {
  return path.replace(/^.*\/|\.ts$/g, '');
}

/** Words in small letters and in the singular: those of `turn-events` are among those of `turnEventRoutes`. */
function wordsOf(name: string): string[] {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_]/);
  return words.map((word) => word.replace(/ies$/, 'y').replace(/s$/, ''));
}
