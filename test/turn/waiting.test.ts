import { expect, test } from 'vitest';
import { waitingOf } from '#core/turn/resource/waiting.ts';
import type { ToolCall, Turn, Work } from '#core/turn/turn.ts';
import { makeRound, makeTurn } from './make-turn.ts';

const SINCE = '2026-11-20T10:00:00.000Z';
const LATER = '2026-11-20T10:00:30.000Z';
const idle = { uncontended: false } as const;

const call = (waitsFor: ToolCall['waitsFor'], expiresAt: string | null): ToolCall => ({
  ...{ round: 1, index: 0, id: 'call_1', name: 'look', arguments: '{}', effect: 'none', waitsFor, expiresAt },
  ...{ expired: false, approval: null, claimedBy: null, claimedAt: null, result: null, completedAt: null },
});
const batch = (...calls: ToolCall[]): Pick<Turn, 'rounds' | 'status'> => ({
  status: 'requires_action',
  rounds: [{ ...makeRound(1, null), finishReason: 'tool_calls', calls }],
});
const waits = (work: Partial<Work>, more: Partial<Omit<Turn, 'work' | 'config'>> = {}) =>
  waitingOf(makeTurn({ ...more, work: { ...idle, ...work } }));

test.each<[string, ReturnType<typeof waitingOf>, ReturnType<typeof waitingOf>]>([
  ['for another turn', waits({ atHead: false }, { status: 'queued' }), { for: 'turn', since: SINCE }],
  [
    'for its client, before a person',
    waits({}, batch(call('approval', null), call('output', LATER))),
    { for: 'client', since: SINCE, until: LATER },
  ],
  ['for a person', waits({}, batch(call('approval', null))), { for: 'approval', since: SINCE }],
  ['for its next attempt', waits({ retryAt: LATER }), { for: 'retry', since: SINCE, until: LATER }],
  ['for a rate limit', waits({ retryAt: LATER, rateLimited: true }), { for: 'provider', since: SINCE, until: LATER }],
  ['for a worker', waits({}, { status: 'queued' }), { for: 'slot', since: SINCE }],
  ['for a worker, after a limit', waits({ rateLimited: true }), { for: 'slot', since: SINCE }],
  ['for no reason while a step runs', waits({ leased: true }), null],
  ['for no reason while a step may run without a lease', waits({ uncontended: true }), null],
  ['for no reason after its end', waits({ retryAt: LATER }, { status: 'cancelled' }), null],
])('a turn waits %s', (_, waiting, expected) => {
  expect(waiting).toEqual(expected);
});

test('a turn that waits for a worker shows an unavailable queue or worker', () => {
  const queued = makeTurn({ status: 'queued', work: idle });
  const workers = new Map([['worker', 'No worker runs.']]);
  const both = new Map([...workers, ['queue', 'The queue is away.']]);

  expect(waitingOf(queued, workers)).toEqual({ for: 'slot', since: SINCE, note: 'No worker runs.' });
  expect(waitingOf(queued, both)).toEqual({ for: 'slot', since: SINCE, note: 'The queue is away.' });
  expect(waitingOf(makeTurn({ work: { ...idle, retryAt: LATER } }), both)).not.toHaveProperty('note');
});
