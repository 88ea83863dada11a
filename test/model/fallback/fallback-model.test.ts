import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import type { Left } from '../explore/plain-model.ts';
import { upExcept } from '../guards/guard.ts';
import { type FallbackGuard, fallbackGuards } from './fallback-guards.ts';
import { fallbackModel } from './fallback-model.ts';
import type { FallbackFault } from './fallback-state.ts';

const BOUNDS = { maxStates: 200_000 };
const timeout = 700_000;

const played: Left<FallbackFault>[] = [
  { definite: 3, crash: 1, duplicate: 1 },
  { definite: 2, stall: 1, duplicate: 1 },
  { definite: 2, lostAck: 1, flush: 1, backlog: 1 },
  { later: 4, crash: 1 },
  { definite: 3, retry: 1, stall: 1 },
];

test.for(played)('a turn asks its models in their order, each for as long as it may: %j', { timeout }, (left) => {
  const verdict = explore(fallbackModel({ slots: 2, guards: upExcept(fallbackGuards, []), left }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const guards: [string, FallbackGuard][] = Object.entries(fallbackGuards);

test.for(guards)('a change of models without %s is caught', ([name, { faults, caught, without }]) => {
  const up = upExcept(fallbackGuards, [name as keyof typeof fallbackGuards]);
  const verdict = explore(fallbackModel({ slots: 2, guards: up, left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
