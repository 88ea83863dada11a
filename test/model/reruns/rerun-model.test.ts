import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import { upExcept } from '../guards/guard.ts';
import { type RerunGuard, rerunGuards } from './rerun-guards.ts';
import { rerunModel } from './rerun-model.ts';

const BOUNDS = { maxStates: 100_000 };

test('no call of a rerun is made that was recorded, or that may be made once', () => {
  const left = { job: 2, retry: 1, remove: 1 };
  const verdict = explore(rerunModel({ guards: upExcept(rerunGuards, []), left }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const names = Object.keys(rerunGuards) as (keyof typeof rerunGuards)[];

test.each(names)('a rerun without %s is caught', (name) => {
  const { faults, caught, without }: RerunGuard = rerunGuards[name];
  const verdict = explore(rerunModel({ guards: upExcept(rerunGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
