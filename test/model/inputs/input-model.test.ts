import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import type { Left } from '../explore/plain-model.ts';
import { upExcept } from '../guards/guard.ts';
import { inputGuards } from './input-guards.ts';
import { inputModel } from './input-model.ts';
import type { InputFault } from './input-state.ts';

const BOUNDS = { maxStates: 200_000 };
const timeout = 700_000;

const played: Left<InputFault>[] = [
  { join: 2, crash: 1, duplicate: 1, late: 1 },
  { join: 2, late: 1, fail: 1, retry: 1 },
  { join: 2, duplicate: 1, fail: 1, retry: 1, cancel: 1 },
];

test.for(played)('what joins a turn is sent once, in order, before its answer: %j', { timeout }, (left) => {
  const verdict = explore(inputModel({ guards: upExcept(inputGuards, []), left }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const names = Object.keys(inputGuards) as (keyof typeof inputGuards)[];

test.each(names)('a turn without %s is caught', (name) => {
  const { faults, caught, without } = inputGuards[name];
  const verdict = explore(inputModel({ guards: upExcept(inputGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
