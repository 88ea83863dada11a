import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import { upExcept } from '../guards/guard.ts';
import { usageGuards } from './usage-guards.ts';
import { usageModel } from './usage-model.ts';

const BOUNDS = { maxStates: 100_000 };

test('what rounds used is counted once at every moment, whoever rolls up and whoever dies', () => {
  const verdict = explore(usageModel({ guards: upExcept(usageGuards, []), left: { crash: 2, lostAck: 2 } }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const names = Object.keys(usageGuards) as (keyof typeof usageGuards)[];

test.each(names)('usage without %s is caught', (name) => {
  const { faults, caught, without } = usageGuards[name];
  const verdict = explore(usageModel({ guards: upExcept(usageGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
