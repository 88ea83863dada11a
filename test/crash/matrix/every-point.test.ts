import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { queueBackends } from '#test/harness/queues.ts';
import { type CrashHarness, openCrashHarness, references } from './open-crash-harness.ts';
import type { Reference } from './references/reference.ts';
import { type Death, describeDeaths, faultsOf, tooManyMissed } from './run-points.ts';
import { writingFunctions } from './writing-functions.ts';

const { queue, only, list } = inject('crash') ?? { queue: null, only: '', list: false };
const backends = queueBackends().filter(({ skip, redis }) => !skip && (!queue || redis === (queue === 'redis')));

if (backends.length === 0) throw new Error('No Redis: put redis-server on the PATH, or leave --queue redis out.');

/** One more than cores: a lane waits while its process dies. */
const LANES = availableParallelism() + 1;
const LONGEST_MS = 900_000;

/** What is tapped beside statements, by the names of its points. */
const WAYS_OUT = [
  ...['begin of', 'commit of', 'take', 'enqueue', 'acknowledge', 'ask', 'chunk of', 'run', 'call', 'send'],
  ...['find the secrets', 'publish to watchers', 'publish to workers'],
];

const crossed = new Map<Reference, string[]>();

describe.for(backends)('$name', ({ name, redis }) => {
  const all: Death[] = [];
  let harness: CrashHarness;
  let startedAt = 0;

  beforeAll(async () => {
    harness = await openCrashHarness(redis, { lanes: LANES, parts: ['worker', 'api'] });
    startedAt = performance.now();
  });

  afterAll(async () => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    if (!list) console.log(`${describeDeaths(`all references with ${name}`, all)} (${seconds} s)`);
    await harness?.[Symbol.asyncDispose]();
  });

  test.concurrent.for(chooseReferences())(
    'a process killed at any point of $of leaves the same outcome',
    { timeout: LONGEST_MS },
    async (reference) => {
      const undisturbed = await harness.playUndisturbed(reference);
      crossed.set(reference, [...(crossed.get(reference) ?? []), ...undisturbed.crossed]);
      const points = undisturbed.points.filter((point) => `${reference.of}: ${point}`.includes(only));
      if (!only) expect(points, 'the reference names points that no longer exist').not.toEqual([]);

      if (list) return console.log([`${name}, ${reference.of}:`, ...points].join('\n  '));
      const deaths = await harness.dieAtEach(points, undisturbed);

      all.push(...deaths);
      console.log(`${name}: ${describeDeaths(reference.of, deaths)}`);
      expect(faultsOf(deaths)).toEqual([]);
    },
  );

  test('a point that was crossed once is crossed again', () => {
    expect(tooManyMissed(all)).toEqual([]);
  });
});

test('every function that writes and every way out of a process is crossed by a reference', ({ skip }) => {
  if (crossed.size < references.length) skip('not all references were played');

  const points = [...crossed.values()].flat().join('\n');

  const names = [...writingFunctions(), ...WAYS_OUT];
  expect(names.filter((name) => !new RegExp(`(?:^| )${name} `, 'm').test(points))).toEqual([]);
});

function chooseReferences(): Reference[] {
  const named = references.filter(({ of }) => of.includes(only) || only.startsWith(of));
  return named.length > 0 ? named : references;
}
