import fc from 'fast-check';
import { expect, test } from 'vitest';
import { windowsBefore } from '#core/checkpoint/search/windows.ts';
import { firstIdAt, newId } from '#core/id.ts';
import { msAgo } from '#test/harness/moments.ts';

const DAY = 86_400_000;

test.each([undefined, newId('turn'), firstIdAt('turn', msAgo(400 * DAY)), 'turn_00000000000000000000000000'])(
  'each id below %s is in one window, and ids of later windows are older',
  (before) => {
    const windows = windowsBefore('turn', before);
    const newest = before ?? firstIdAt('turn', msAgo(0));
    const ages = [
      0,
      1,
      999,
      1_000,
      33_000,
      1_100_000,
      4 * 3_600_000,
      10 * 3_600_000,
      DAY,
      13 * DAY,
      370 * DAY,
      12_000 * DAY,
    ];
    const times = ages.map((age) => Number.parseInt(timeOf(newest), 32) - age).filter((ms) => ms >= 0);

    const indexes = times.map((ms) => {
      const id = firstIdAt('turn', ms).slice('turn_'.length);
      const holding = windows.flatMap(({ beginnings }, index) =>
        beginnings.some((one) => id.startsWith(one)) ? [index] : [],
      );
      expect(holding, id).toHaveLength(1);
      expect(`turn_${id}` >= windows[holding[0]!]!.from).toBe(true);
      return holding[0]!;
    });

    expect(indexes).toEqual(indexes.toSorted((a, b) => a - b));
  },
);

test('ids below the lowest are in no window, and all other ids are in a window', () => {
  const now = msAgo(0);
  const windows = windowsBefore('turn', undefined, firstIdAt('turn', now - 61 * DAY));
  const isCovered = (ms: number) => {
    const id = firstIdAt('turn', ms).slice('turn_'.length);
    return windows.some(({ beginnings }) => beginnings.some((one) => id.startsWith(one)));
  };

  const covered = [0, 1, 13, 60.99].map((days) => isCovered(now - days * DAY));
  const below = [61.01, 62, 75, 400, 12_000].map((days) => isCovered(now - days * DAY));

  expect(covered).toEqual(covered.map(() => true));
  expect(below).toEqual(below.map(() => false));
});

test('each window reaches about three times as far back as the window before', () => {
  const moments = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2120, 0) });

  fc.assert(
    fc.property(moments, (now) => {
      const windows = windowsBefore('turn', firstIdAt('turn', now));
      const ages = windows.map(({ from }) => now - Number.parseInt(timeOf(`${from}00`), 32));
      for (const [index, age] of ages.entries()) {
        expect(age).toBeLessThan(3.4 * (ages[index - 1] ?? 0) + 4_000);
        expect(windows[index]!.beginnings.length).toBeLessThan(150);
      }
      expect(windows.length).toBeLessThan(25);
    }),
  );
});

/** Returns the ten digits of an id that are its time, in JavaScript's digits of base 32. */
function timeOf(id: string): string {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  return [...id.slice(5, 15)].map((index) => digits.indexOf(index).toString(32)).join('');
}
