import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clockReaders, findClockReaders, hasClockReader } from './arrows/find-clock-readers.ts';
import { findCycles } from './arrows/find-cycles.ts';
import { findEnvReaders } from './arrows/find-env-readers.ts';
import { findWorkplaceTraces } from './arrows/find-workplace-traces.ts';
import { owners } from './arrows/owners.ts';
import { roomOf, rooms } from './arrows/rooms.ts';
import { type Arrow, walkSources } from './arrows/walk-sources.ts';

const sources = walkSources();
const product = sources.filter(({ path }) => /^(packages|services|examples)\//.test(path));
const arrows = sources.flatMap((source) => source.arrows);
const written = ({ from, to }: Arrow) => `${from} → ${to}`;

console.log(`walked ${sources.length} files, ${arrows.length} imports, ${Object.keys(rooms).length} rooms`);

test('every file is in a room', () => {
  const roomless = sources.filter(({ path }) => !roomOf(path)).map(({ path }) => path);

  expect(roomless, 'enter the new room and what it may import in test/arrows/rooms.ts, or move the file').toEqual([]);
});

for (const [room, allowed] of Object.entries(rooms)) {
  test(`${room} imports ${allowed.map((other) => other.replace('packages/core/', '')).join(', ') || 'no other room'}`, () => {
    const leaving = arrows.filter(
      ({ from, to, isOurs }) => isOurs && roomOf(from) === room && roomOf(to ?? '') !== room,
    );
    const wrong = leaving.filter(({ to }) => !allowed.includes(roomOf(to ?? '') ?? 'nowhere'));

    expect(wrong.map(written), `arrows out of ${room} that go against the design`).toEqual([]);
  });
}

test('turn/ imports only zod and node:crypto', () => {
  const outside = arrows.filter(({ from, isOurs }) => roomOf(from) === 'packages/core/turn' && !isOurs);
  const wrong = outside.filter(({ to }) => to !== 'zod' && to !== 'node:crypto');

  expect(wrong.map(written), 'turn/ decides and has no effects: pass it its data as arguments').toEqual([]);
});

test('the client imports no other room, only node:crypto as a fallback for Web Crypto', () => {
  const leaving = arrows.filter(
    ({ from, to }) => roomOf(from) === 'packages/client' && roomOf(to ?? '') !== roomOf(from),
  );

  expect(leaving.map(written), 'a user of the package has nothing else').toEqual([
    'packages/client/web-crypto.ts → node:crypto',
  ]);
});

test('the command line imports only the client, Node and its parser', () => {
  const leaving = arrows.filter(({ from, to }) => roomOf(from) === 'packages/cli' && roomOf(to ?? '') !== roomOf(from));
  const wrong = leaving.filter(
    ({ to }) => roomOf(to ?? '') !== 'packages/client' && !to?.startsWith('node:') && to !== 'commander',
  );

  expect(wrong.map(written), 'the file in its tarball holds these').toEqual([]);
});

test('the adapter of a wire never imports the adapter of another wire', () => {
  const wireOf = (path: string | null) =>
    path?.match(/^packages\/core\/llm\/(openai|openai-responses|anthropic|gemini|ai-sdk)\//)?.[1];
  const wrong = arrows.filter(({ from, to }) => wireOf(from) && wireOf(to) && wireOf(from) !== wireOf(to));

  expect(wrong.map(written), 'what two wires share lies in llm/ itself, llm/http or llm/errors').toEqual([]);
});

test('a package is imported only by its owners', () => {
  const outside = product.flatMap((source) => source.arrows).filter(({ to, isOurs }) => to !== null && !isOurs);
  const foreign = outside.filter(({ to }) => !to?.startsWith('node:'));
  const wrong = foreign.filter(({ from, to }) => !owners[to ?? '']?.some((owner) => from.startsWith(owner)));

  expect(wrong.map(written), 'go through the room that owns the package (test/arrows/owners.ts)').toEqual([]);
});

test('code of the product, except the page, imports only production packages', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const running = product
    .flatMap((source) => source.arrows)
    .filter(({ to, isOurs, isType }) => to && !isOurs && !isType);
  const bundled = ['examples', 'packages/inspector'];
  const foreign = running.filter(({ from, to }) => !bundled.includes(roomOf(from) ?? '') && !to?.startsWith('node:'));
  const wrong = foreign.filter(({ to }) => !((to ?? '') in dependencies));

  expect(wrong.map(written), 'write `import type`, or make it a dependency').toEqual([]);
});

test('only the loaders of tools and provider packages import a name known at run time', () => {
  const wrong = product.flatMap((source) => source.arrows).filter(({ to }) => to === null);

  expect(wrong.map(({ from }) => from)).toEqual([
    'packages/core/llm/ai-sdk/package/load-packages.ts',
    'packages/core/tools/load.ts',
  ]);
});

test('no files import each other in a cycle, types included', () => {
  expect(findCycles(sources), 'move the common part into its own file').toEqual([]);
});

test('a folder of the product has at most 16 files, without its subfolders', () => {
  const folders = Map.groupBy(product, ({ path }) => path.slice(0, path.lastIndexOf('/')));
  const crowded = [...folders]
    .filter(([, files]) => files.length > 16)
    .map(([folder, files]) => `${folder}: ${files.length}`);

  expect(crowded, 'a room that has grown gets sub-rooms, or files whose helpers have one caller').toEqual([]);
});

test('no file re-exports the exports of another file', () => {
  const barrels = sources.filter(({ handsOn }) => handsOn).map(({ path }) => path);

  expect(barrels, 'a barrel hides where things lie: import from the file itself').toEqual([]);
});

test('a file is named after its exports', () => {
  const named = product.filter(({ path }) => roomOf(path) !== 'examples' && !/\/main\.tsx?$/.test(path));
  const wrong = named.filter(({ path, names }) => {
    const exported = new Set(names.flatMap(wordsOf));
    return !wordsOf(fileName(path)).every((word) => exported.has(word));
  });

  expect(
    wrong.map(({ path, names }) => `${path} exports ${names.join(', ')}`),
    'every word of a file name is a word of something it exports',
  ).toEqual([]);
});

test('services/process/settings.ts alone reads env, except for standalone programs', () => {
  const standingAlone = [
    // The command line, which is installed separately.
    'packages/cli/main.ts',
    // PostgreSQL programs get only the PATH.
    'packages/embedded-postgres/program.ts',
    'packages/embedded-postgres/server.ts',
    // The simulator may be a separate process.
    'packages/simulator/main.ts',
  ];

  expect(findEnvReaders(), 'take a setting as an argument; its variable belongs into Settings').toEqual([
    ...standingAlone,
    'services/process/settings.ts',
  ]);
});

test('no test reads a clock, sets a timer or measures the process', () => {
  expect(
    findClockReaders(),
    'use `advance`, `waitUntil`, `msAgo` or `repeat` of test/harness, or count things',
  ).toEqual([]);
});

test('each path that may read a clock has a file that reads a clock', () => {
  expect(
    clockReaders.filter((paths) => !hasClockReader(paths)),
    'take it off the list',
  ).toEqual([]);
});

test('no file shows the machine or the tool that wrote it', () => {
  expect(findWorkplaceTraces(), 'paths and words of one workplace mean nothing in another').toEqual([]);
});

function fileName(path: string): string {
  return path.replace(/^.*\/|\.tsx?$/g, '');
}

/** Returns words in lower case and in the singular: those of `turn-events` are among those of `turnEventRoutes`. */
function wordsOf(name: string): string[] {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_]/);
  return words.map((word) => word.replace(/ies$/, 'y').replace(/s$/, ''));
}
