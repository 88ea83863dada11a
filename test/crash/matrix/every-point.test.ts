import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { queueBackends } from '#test/harness/queues.ts';
import { type CrashHarness, openCrashHarness, references } from './open-crash-harness.ts';
import type { Reference } from './references/reference.ts';
import { type Death, describeDeaths, faultsOf, tooManyMissed } from './run-points.ts';
import { samplePoints, sampleQueue } from './sample-points.ts';
import { reachesQueue, sharePoints } from './share-points.ts';
import { writingFunctions } from './writing-functions.ts';

const { queue, only, sample, list } = inject('crash') ?? { queue: null, only: '', sample: 1, list: false };
/**
 * Whether the whole matrix is played. A sample plays few points, and each reference on one queue. Only the whole
 * matrix shows whether all points are crossed.
 */
const isWhole = sample === 1;
const backends = queueBackends().filter(({ redis }) => !queue || redis === (queue === 'redis'));

if (backends.length === 0) throw new Error('No Redis: put redis-server on the PATH, or leave out `--queue redis`.');

/** The lanes of each queue. Together they are one more than the cores, since a lane waits while its process dies. */
const LANES = Math.ceil((availableParallelism() + 1) / backends.length);
const LONGEST_MS = 900_000;

/** The taps beside statements, by the names of their points: ways to the queue, and other ways out. */
const WAYS_TO_QUEUE = ['take', 'enqueue', 'acknowledge', 'publish to watchers', 'publish to workers'];
const WAYS_OUT = ['begin of', 'commit of', 'ask', 'chunk of', 'run', 'call', 'send', 'find the secrets'];

const chosen = chooseReferences();
/** For each queue, the deaths at the points that were played on it. */
const deaths: Death[][] = backends.map(() => []);
/** The points that each played reference crosses on any queue. */
const crossed = new Map<Reference, string[]>();
let harness: CrashHarness;
let startedAt = 0;

beforeAll(async () => {
  harness = await openCrashHarness({ queues: backends, lanes: LANES, parts: ['worker', 'api'] });
  startedAt = performance.now();
});

afterAll(async () => {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  if (!list) summarise().forEach((line) => void console.log(`${line} (${seconds} s)`));
  await harness?.[Symbol.asyncDispose]();
});

test.concurrent.for(chosen)(
  'a process killed at any point of $of leaves the same outcome',
  { timeout: LONGEST_MS },
  async (reference) => {
    const queues = isWhole ? [...backends.keys()] : [sampleQueue(reference.of, backends.length)];
    const played = queues.map((number) => ({ number, plays: harness.plays[number]! }));
    const undisturbed = await Promise.all(played.map(({ plays }) => plays.playUndisturbed(reference)));
    const points = undisturbed.map((one) => one.points);
    expect(points, 'the reference names points that no longer exist').not.toContainEqual([]);
    const shares = sharePoints(undisturbed);
    expect(new Set(shares.flat())).toEqual(new Set(points.flat()));
    const named = shares.map((share) => share.filter((point) => `${reference.of}: ${point}`.includes(only)));
    const wanted = named.map((points) => samplePoints(points, reference.of, sample));

    if (list) return wanted.forEach((some, nth) => void console.log(listPoints(reference, some, queues[nth]!)));
    const died = await Promise.all(played.map(({ plays }, nth) => plays.dieAtEach(wanted[nth]!, undisturbed[nth]!)));

    crossed.set(
      reference,
      undisturbed.flatMap((one) => one.crossed),
    );
    died.forEach((some, nth) => {
      const number = queues[nth]!;
      deaths[number]!.push(...some);
      console.log(`${backends[number]!.name}: ${describeDeaths(reference.of, some)}`);
    });
    expect(died.flatMap(faultsOf)).toEqual([]);
  },
);

test.for(backends.map(({ name }, number) => ({ name, number })))(
  'a point that was crossed once on $name is crossed again',
  ({ number }, { skip }) => {
    if (!isWhole) skip('a sample was played');
    expect(tooManyMissed(deaths[number]!)).toEqual([]);
  },
);

// A process is killed at every crossing, except those that only the clock causes.
test('the matrix crosses every write and way out, and kills at the ways to each queue', ({ skip }) => {
  if (!isWhole || only || crossed.size < references.length) skip('not all points were played');

  expect(missing([...writingFunctions(), ...WAYS_OUT], [...crossed.values()].flat())).toEqual([]);
  for (const some of deaths) {
    const points = some.map(({ point }) => point);
    expect(missing(WAYS_TO_QUEUE, points.filter(reachesQueue))).toEqual([]);
  }
});

function missing(names: string[], points: string[]): string[] {
  const text = points.join('\n');
  return names.filter((name) => !new RegExp(`(?:^| )${name} `, 'm').test(text));
}

function listPoints({ of }: Reference, points: string[], number: number): string {
  return [`${backends[number]!.name}, ${of}:`, ...points].join('\n  ');
}

function summarise(): string[] {
  return backends.map(({ name }, number) => describeDeaths(`all references with ${name}`, deaths[number]!));
}

function chooseReferences(): Reference[] {
  const named = references.filter(({ of }) => of.includes(only) || only.startsWith(of));
  return named.length > 0 ? named : references;
}
