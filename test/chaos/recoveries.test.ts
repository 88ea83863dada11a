import { expect, test } from 'vitest';
import type { FaultRecord } from './history.ts';
import { firstRecoveries, recoveriesOf } from './recoveries.ts';
import { soundHistory } from './sound-history.ts';

/**
 * Returns the recoveries of the sound history with other faults. Its first turn has checkpoints 400, 600, 800, 1000
 * and 1200 ms after its start.
 */
function withFaults(...faults: (Partial<FaultRecord> & { from: number; endedAt: number })[]) {
  const history = soundHistory();
  const [start = 0] = history.rows.turns.map(({ createdAt }) => createdAt);
  history.faults = faults.map((fault, index) => ({
    ...{ number: index + 1, kind: 'postgres-cut', scope: 'all', evidence: 'it did' },
    ...fault,
    from: start + fault.from,
    endedAt: start + fault.endedAt,
  }));
  return recoveriesOf(history).map(({ fault, turnId, ms, isClean }) => [fault.number, turnId, ms, isClean]);
}

test('a turn recovers with its first checkpoint after the end of the fault', () => {
  expect(withFaults({ from: 410, endedAt: 450 })).toEqual([
    [1, 'turn_1', 150, true],
    [1, 'turn_2', 150, true],
  ]);
});

test('a recovery does not count the time of another fault, and is not clean', () => {
  const recoveries = withFaults({ from: 410, endedAt: 420 }, { from: 440, endedAt: 560 }, { from: 500, endedAt: 570 });

  expect(recoveries.filter(([number, turnId]) => number === 1 && turnId === 'turn_1')).toEqual([
    [1, 'turn_1', 50, false],
  ]);
});

test('the death of a worker stops only the turns that the worker had begun', () => {
  expect(withFaults({ from: 150, endedAt: 150, scope: 'worker-1' })).toEqual([[1, 'turn_1', 250, true]]);
  expect(withFaults({ from: 150, endedAt: 150, scope: 'worker-2' })).toEqual([]);
});

test('a fault is overcome when the first of its turns recovers', () => {
  const history = soundHistory();
  history.rows.events = history.rows.events.map((event) =>
    event.turnId === 'turn_2' ? { ...event, at: event.at + 5_000 } : event,
  );
  history.faults[0]!.scope = 'all';

  expect(firstRecoveries(recoveriesOf(history)).map(({ turnId, ms }) => [turnId, ms])).toEqual([['turn_1', 90]]);
});
