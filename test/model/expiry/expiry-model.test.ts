import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import { upExcept } from '../guards/guard.ts';
import { type ExpiryGuard, expiryGuards } from './expiry-guards.ts';
import { expiryModel } from './expiry-model.ts';

const BOUNDS = { maxStates: 100_000 };

test('what is old enough goes, and nothing that is used', () => {
  const left = { start: 3, change: 2, age: 2 };
  const verdict = explore(expiryModel({ guards: upExcept(expiryGuards, []), left }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const names = Object.keys(expiryGuards) as (keyof typeof expiryGuards)[];

test.each(names)('an expiry without %s is caught', (name) => {
  const { faults, caught, without }: ExpiryGuard = expiryGuards[name];
  const verdict = explore(expiryModel({ guards: upExcept(expiryGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
