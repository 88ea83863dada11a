import { expect, test } from 'vitest';
import type { History } from '../history.ts';
import { soundHistory } from '../sound-history.ts';
import { checkInvariants } from './check-invariants.ts';

const LEAVES_ONCE = 'a round changes its tier once, before it asks on the next tier';
const IN_ORDER = 'events have the order of their rounds';

/**
 * Returns the broken promises after a change of a history in which round 1 of turn 1 asks on `flex`, then on
 * `default`.
 */
function brokenBy(change: (history: History) => void): string[] {
  const history = soundHistory();
  const [first, second] = history.modelCalls;
  Object.assign(first!, { tier: 'flex' });
  Object.assign(second!, { tier: 'default' });
  insertChange(history, { after: 2 });
  change(history);
  return checkInvariants(history, { verdict: 'all' })
    .filter(({ complaints }) => complaints.length > 0)
    .map(({ promise }) => promise);
}

/** Adds a change of tier to round 1 of turn 1, after so many of its events. */
function insertChange({ rows, seen }: History, { after }: { after: number }): void {
  const { turnId, at } = rows.events[after - 1]!;
  const change = { turnId, number: 0, type: 'tier.changed', round: 1, at };
  const own = rows.events.filter((event) => event.turnId === turnId).toSpliced(after, 0, change);
  const numbered = own.map((event, index) => ({ ...event, number: index + 1 }));
  rows.events = [...numbered, ...rows.events.filter((event) => event.turnId !== turnId)];
  const numbers = numbered.map(({ number }) => number);
  rows.turns[0]!.lastEvent = numbers.length;
  Object.assign(seen.get(turnId)!, { numbers, lastEvent: numbers.length });
}

test('a round that changes its tier breaks no promise', () => {
  expect(brokenBy(() => {})).toEqual([]);
});

test.each<[string, (history: History) => void, string[]]>([
  ['changes its tier twice', (history) => insertChange(history, { after: 3 }), [LEAVES_ONCE]],
  ['changes its tier after its reply', (history) => insertChange(history, { after: 5 }), [LEAVES_ONCE, IN_ORDER]],
  ['has no change', ({ rows }) => Object.assign(rows.events[2]!, { type: 'step.retrying' }), [LEAVES_ONCE]],
  ['asks before the change', ({ modelCalls }) => Object.assign(modelCalls[1]!, { at: 0 }), [LEAVES_ONCE]],
  ['asks on flex after the change', ({ modelCalls }) => askAgain(modelCalls, 2), [LEAVES_ONCE]],
  ['has an event of another round', ({ rows }) => Object.assign(rows.events[3]!, { round: 2 }), [IN_ORDER]],
])('a round that %s breaks a promise', (_, change, promises) => {
  expect(brokenBy(change)).toEqual(promises);
});

function askAgain(modelCalls: History['modelCalls'], generation: number): void {
  modelCalls.push({ ...modelCalls[0]!, generation });
}
