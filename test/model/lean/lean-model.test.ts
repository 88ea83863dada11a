import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import { upExcept } from '../guards/guard.ts';
import { leanGuards } from './lean-guards.ts';
import { leanModel } from './lean-model.ts';

const BOUNDS = { maxStates: 100_000 };

test('a turn whose runs commit in the lean or the full form keeps each delivery and each waiting call, and ends', () => {
  const left = { crash: 1, lostAck: 1, enable: 2, disable: 2, failover: 1 };
  const verdict = explore(leanModel({ guards: upExcept(leanGuards, []), left }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const names = Object.keys(leanGuards) as (keyof typeof leanGuards)[];

test.each(names)('a lean form without %s is caught', (name) => {
  const { faults, caught, without } = leanGuards[name];
  const verdict = explore(leanModel({ guards: upExcept(leanGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
