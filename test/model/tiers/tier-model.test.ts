import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import { upExcept } from '../guards/guard.ts';
import { type TierGuard, tierGuards } from './tier-guards.ts';
import { tierModel } from './tier-model.ts';
import type { TierScene } from './tier-state.ts';

const BOUNDS = { maxStates: 200_000 };
const timeout = 700_000;

const played: Pick<TierScene, 'rounds' | 'left'>[] = [
  { rounds: 1, left: { refused: 3, crash: 1, duplicate: 1 } },
  { rounds: 1, left: { refused: 3, stall: 1, duplicate: 1 } },
  { rounds: 1, left: { refused: 3, lostAck: 1, flush: 1, backlog: 1 } },
  { rounds: 1, left: { refused: 2, later: 2, crash: 1 } },
  { rounds: 1, left: { refused: 2, late: 1, stall: 1 } },
  { rounds: 2, left: { refused: 3, duplicate: 1 } },
];

test.for(played)('a round leaves its tier once, after three refusals: %j', { timeout }, (scene) => {
  const verdict = explore(tierModel({ slots: 2, guards: upExcept(tierGuards, []), ...scene }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const guards: [string, TierGuard][] = Object.entries(tierGuards);

test.for(guards)('a change of tiers without %s is caught', ([name, { rounds = 1, faults, caught, without }]) => {
  const up = upExcept(tierGuards, [name as keyof typeof tierGuards]);
  const verdict = explore(tierModel({ slots: 2, rounds, guards: up, left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
