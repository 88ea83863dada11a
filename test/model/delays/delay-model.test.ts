import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import { upExcept } from '../guards/guard.ts';
import { delayGuards } from './delay-guards.ts';
import { delayModel } from './delay-model.ts';

const BOUNDS = { maxStates: 100_000 };

test('a delayed turn is begun once its time has come, in its order, whoever ends or comes meanwhile', () => {
  const left = { flush: 1, skew: 1, create: 1 };
  const verdict = explore(delayModel({ guards: upExcept(delayGuards, []), left }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const names = Object.keys(delayGuards) as (keyof typeof delayGuards)[];

test.each(names)('a delayed turn without %s is caught', (name) => {
  const { faults, caught, without } = delayGuards[name];
  const verdict = explore(delayModel({ guards: upExcept(delayGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
