import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import type { Left } from '../explore/plain-model.ts';
import { upExcept } from '../guards/guard.ts';
import { type LineGuard, lineGuards } from './line-guards.ts';
import { lineModel } from './line-model.ts';
import type { LineFault } from './line-state.ts';

const BOUNDS = { maxStates: 100_000 };
const timeout = 700_000;

const played: [LineGuard['asks'], Left<LineFault>][] = [
  ['output', { create: 2, unstored: 1, hide: 3 }],
  ['approval', { create: 2, unstored: 1, hide: 3 }],
  ['approval', { create: 3, hide: 2 }],
  ['output', { create: 2, unstored: 1, hide: 1, fail: 1, retry: 1 }],
  ['approval', { create: 2, unstored: 1, remove: 2, hide: 1 }],
  ['output', { create: 2, unstored: 1, remove: 1, fail: 1, retry: 1 }],
];

test.for(played)('what stands on a turn keeps its history, for %s: %j', { timeout }, ([asks, left]) => {
  const verdict = explore(lineModel({ asks, guards: upExcept(lineGuards, []), left }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const names = Object.keys(lineGuards) as (keyof typeof lineGuards)[];

test.each(names)('a line without %s is caught', (name) => {
  const { asks, faults, caught, without }: LineGuard = lineGuards[name];
  const verdict = explore(lineModel({ asks, guards: upExcept(lineGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
