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
/** A sample plays few points, and each reference on one queue. Whether all is crossed, only the whole matrix shows. */
const isWhole = sample === 1;
const backends = queueBackends().filter(({ redis }) => !queue || redis === (queue === 'redis'));

if (backends.length === 0) throw new Error('No Redis: put redis-server on the PATH, or leave --queue redis out.');

/** Of each queue; together about one more than cores, since a lane waits while its process dies. */
const LANES = Math.ceil((availableParallelism() + 1) / backends.length);
const LONGEST_MS = 900_000;

/** What is tapped beside statements, by the names of its points: what reaches the queue, and what does not. */
const WAYS_TO_QUEUE = ['take', 'enqueue', 'acknowledge', 'publish to watchers', 'publish to workers'];
const WAYS_OUT = ['begin of', 'commit of', 'ask', 'chunk of', 'run', 'call', 'send', 'find the secrets'];

const chosen = chooseReferences();
/** For each queue, the deaths at the points that were played on it. */
const deaths: Death[][] = backends.map(() => []);
/** What each reference that was played crosses on any of the queues. */
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
  'on $name, a point that was crossed once is crossed again',
  ({ number }, { skip }) => {
    if (!isWhole) skip('a sample was played');
    expect(tooManyMissed(deaths[number]!)).toEqual([]);
  },
);

// What is crossed is killed at somewhere, but for what the clock alone brings about.
test('every function that writes and every way out of a process is crossed, and on each queue it is killed at those to the queue', ({
  skip,
}) => {
  if (!isWhole || only || crossed.size < references.length) skip('not all points were played');

  expect(missing([...writingFunctions(), ...WAYS_OUT], [...crossed.values()].flat())).toEqual([]);
  for (const some of deaths) {
    const points = some.map(({ point }) => point);
    expect(missing(WAYS_TO_QUEUE, points.filter(reachesQueue))).toEqual([]);
  }
});

/** The names that no point has. */
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
