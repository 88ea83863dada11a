import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { queueBackends } from '#test/world/queues.ts';
import { type Matrix, openMatrix, references } from './open-matrix.ts';
import type { Reference } from './reference.ts';
import type { Death } from './run-points.ts';
import { faultsOf, tellDeaths, tooManyMissed } from './tell-deaths.ts';
import { writingVerbs } from './writing-verbs.ts';

const { queue, only, list } = inject('crash') ?? { queue: null, only: '', list: false };
const backends = queueBackends().filter(({ skip, redis }) => !skip && (!queue || redis === (queue === 'redis')));

if (backends.length === 0) throw new Error('No Redis: put redis-server on the PATH, or leave --queue redis out.');

/** One more than cores: whoever dies is waited for. */
const LANES = availableParallelism() + 1;
const LONGEST_MS = 900_000;

/** What is tapped beside statements, by the names of its points. */
const WAYS_OUT = [
  ...['begin of', 'commit of', 'take', 'ring', 'acknowledge', 'ask', 'piece of', 'run', 'call', 'send'],
  ...['find the secrets', 'tell watchers', 'tell workers'],
];

const crossed = new Map<Reference, string[]>();

describe.for(backends)('$name', ({ name, redis }) => {
  const all: Death[] = [];
  let matrix: Matrix;
  let startedAt = 0;

  beforeAll(async () => {
    matrix = await openMatrix(redis, { lanes: LANES, parts: ['worker', 'api'] });
    startedAt = performance.now();
  });

  afterAll(async () => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    if (!list) console.log(`${tellDeaths(`all references with ${name}`, all)} (${seconds} s)`);
    await matrix?.[Symbol.asyncDispose]();
  });

  test.concurrent.for(chooseReferences())(
    'whoever dies at any point of $of, it ends as if nobody had',
    { timeout: LONGEST_MS },
    async (reference) => {
      const undisturbed = await matrix.playUndisturbed(reference);
      crossed.set(reference, [...(crossed.get(reference) ?? []), ...undisturbed.crossed]);
      const points = undisturbed.points.filter((point) => `${reference.of}: ${point}`.includes(only));

      if (list) return console.log([`${name}, ${reference.of}:`, ...points].join('\n  '));
      const deaths = await matrix.dieAtEach(points, undisturbed);

      all.push(...deaths);
      console.log(`${name}: ${tellDeaths(reference.of, deaths)}`);
      expect(faultsOf(deaths)).toEqual([]);
    },
  );

  test('a point that was there once is there again', () => {
    expect(tooManyMissed(all)).toEqual([]);
  });
});

test('every verb that writes and every way out of a process is crossed by a reference', ({ skip }) => {
  if (crossed.size < references.length) skip('not all references were played');

  const points = [...crossed.values()].flat().join('\n');

  const names = [...writingVerbs(), ...WAYS_OUT];
  expect(names.filter((name) => !new RegExp(`(?:^| )${name} `, 'm').test(points))).toEqual([]);
});

function chooseReferences(): Reference[] {
  const named = references.filter(({ of }) => of.includes(only) || only.startsWith(of));
  return named.length > 0 ? named : references;
}
