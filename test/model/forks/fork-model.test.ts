import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import { upExcept } from '../guards/guard.ts';
import { type ForkGuard, forkGuards } from './fork-guards.ts';
import { forkModel } from './fork-model.ts';

const BOUNDS = { maxStates: 100_000 };

test('what a fork stands on stays as it is, as long as the fork is there and no longer', () => {
  const left = { fork: 2, remove: 1, drop: 2, fail: 1, retry: 1 };
  const verdict = explore(forkModel({ guards: upExcept(forkGuards, []), left }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const names = Object.keys(forkGuards) as (keyof typeof forkGuards)[];

test.each(names)('a fork without %s is caught', (name) => {
  const { faults, caught, without }: ForkGuard = forkGuards[name];
  const verdict = explore(forkModel({ guards: upExcept(forkGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
