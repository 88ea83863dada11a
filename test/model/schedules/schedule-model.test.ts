import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import { upExcept } from '../guards/guard.ts';
import { scheduleGuards } from './schedule-guards.ts';
import { scheduleModel } from './schedule-model.ts';

const BOUNDS = { maxStates: 100_000 };

test('each planned time of a schedule starts one turn, whoever dies, looks early or changes it', () => {
  const left = { crash: 2, skew: 1, change: 2 };
  const verdict = explore(scheduleModel({ guards: upExcept(scheduleGuards, []), left }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const names = Object.keys(scheduleGuards) as (keyof typeof scheduleGuards)[];

test.each(names)('a schedule without %s is caught', (name) => {
  const { faults, caught, without } = scheduleGuards[name];
  const verdict = explore(scheduleModel({ guards: upExcept(scheduleGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
