import { expect, test } from 'vitest';
import { describeQueue } from '#test/harness/queues.ts';
import { openCrashHarness, references } from './matrix/open-crash-harness.ts';
import { describeDeaths, faultsOf } from './matrix/run-points.ts';

const [reference] = references;
const POINTS = 5;
/** The bound for a process that hangs. Each point takes several processes in turn. */
const BOUND_MS = 900_000;

describeQueue(({ name, redis }) => {
  test(`a process killed at some points of ${reference?.of} leaves the same outcome`, {
    timeout: BOUND_MS,
  }, async () => {
    await using harness = await openCrashHarness({ queues: [{ redis }], lanes: 2, parts: ['worker'] });
    const [plays] = harness.plays;
    const undisturbed = await plays!.playUndisturbed(reference!);
    const { points } = undisturbed;
    const some = points.filter((_, index) => index % Math.ceil(points.length / POINTS) === 0);

    const deaths = await plays!.dieAtEach(some, undisturbed);

    console.log(`${name}: ${describeDeaths(reference!.of, deaths)}, which has ${points.length}`);
    expect(faultsOf(deaths)).toEqual([]);
    // The machine decides which points are crossed again. The summary above shows it, and the whole matrix requires
    // it.
    expect(deaths.some(({ happened }) => happened)).toBe(true);
  });
});
