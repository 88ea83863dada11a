import { expect, test } from 'vitest';
import { describeQueues } from '#test/world/queues.ts';
import { openMatrix, references } from './matrix/open-matrix.ts';
import { faultsOf, tellDeaths } from './matrix/tell-deaths.ts';

const [reference] = references;
const POINTS = 5;
/** A few seconds, where a machine has nothing else to do. */
const LONGEST_MS = 180_000;

describeQueues(({ name, redis }) => {
  test(`whoever dies at some points of ${reference?.of}, it ends as if nobody had`, {
    timeout: LONGEST_MS,
  }, async () => {
    await using matrix = await openMatrix(redis, { lanes: 2, parts: ['worker'] });
    const undisturbed = await matrix.playUndisturbed(reference!);
    const { points } = undisturbed;
    const some = points.filter((_, place) => place % Math.ceil(points.length / POINTS) === 0);

    const deaths = await matrix.dieAtEach(some, undisturbed);

    console.log(`${name}: ${tellDeaths(reference!.of, deaths)}, which has ${points.length}`);
    expect(faultsOf(deaths)).toEqual([]);
    // Which of them are there again depends on the machine: that is told above, and held by the whole matrix.
    expect(deaths.some(({ happened }) => happened)).toBe(true);
  });
});
