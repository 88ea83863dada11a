import { expect } from 'vitest';
import { allCalls } from '#core/turn/call.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';

/** Compares all fields, with a tolerance for times of two clocks and for the time to a deadline. */
export function expectSame(read: Turn, predicted: Turn): void {
  const [one, other] = [timesOf(read), timesOf(predicted)];
  const distances = other.map((time, index) => Math.abs(time - one[index]!)).filter((distance) => distance > 5_000);

  expect(withoutTimes(predicted)).toEqual(withoutTimes(read));
  expect(other.map(Number.isNaN)).toEqual(one.map(Number.isNaN));
  expect(distances).toEqual([]);
}

/** Returns all times in milliseconds, and the time to the deadline. An unset time is NaN. */
function timesOf(turn: Turn): number[] {
  const { createdAt, startedAt, completedAt, work, rounds } = turn;
  const calls = allCalls(turn);
  const times = [
    ...[createdAt, startedAt, completedAt, work.waitingSince, work.retryAt],
    ...rounds.flatMap((round) => [round.startedAt, round.completedAt]),
    ...calls.flatMap((call) => [call.expiresAt, call.claimedAt, call.completedAt]),
  ];
  return [...times.map((time) => Date.parse(time ?? '')), work.deadlineInMs ?? Number.NaN];
}

function withoutTimes({ work, adopted, rounds, ...turn }: Turn) {
  const none = { startedAt: null, completedAt: null };
  const withoutTime = (call: ToolCall) => ({ ...call, completedAt: null, claimedAt: null, expiresAt: null });
  return {
    ...{ ...turn, ...none, createdAt: Date.parse(turn.createdAt) },
    work: { ...work, waitingSince: '', retryAt: null, deadlineInMs: null },
    adopted: adopted.map(withoutTime),
    rounds: rounds.map(({ calls, ...round }) => ({
      ...{ ...round, startedAt: Date.parse(round.startedAt), completedAt: '' },
      calls: calls.map(withoutTime),
    })),
  };
}
