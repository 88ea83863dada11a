import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import { upExcept } from '../guards/guard.ts';
import { approvalGuards } from './approval-guards.ts';
import { approvalModel } from './approval-model.ts';

const BOUNDS = { maxStates: 100_000 };

test('a call is made with the arguments of its one decision, whoever decides too and whoever dies', () => {
  const verdict = explore(approvalModel({ guards: upExcept(approvalGuards, []), left: { crash: 2 } }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const names = Object.keys(approvalGuards) as (keyof typeof approvalGuards)[];

test.each(names)('an approval without %s is caught', (name) => {
  const { faults, caught, without } = approvalGuards[name];
  const verdict = explore(approvalModel({ guards: upExcept(approvalGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
