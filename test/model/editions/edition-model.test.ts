import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import type { Left } from '../explore/plain-model.ts';
import { upExcept } from '../guards/guard.ts';
import { editionGuards } from './edition-guards.ts';
import { editionModel } from './edition-model.ts';
import type { EditionFault } from './edition-state.ts';

const BOUNDS = { maxStates: 100_000 };
const timeout = 700_000;

const played: Left<EditionFault>[] = [
  { crash: 1, duplicate: 1, later: 1 },
  { stall: 1, duplicate: 1, lostAck: 1 },
  { backlog: 1, stall: 1, flush: 1 },
  { definite: 1, retry: 1, stall: 1 },
];

test.for(played)('two runs never tell pieces of a round under one edition: %j', { timeout }, (left) => {
  const verdict = explore(editionModel({ slots: 2, guards: upExcept(editionGuards, []), left }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const names = Object.keys(editionGuards) as (keyof typeof editionGuards)[];

test.each(names)('an edition without %s is caught', (name) => {
  const { faults, caught, without } = editionGuards[name];
  const verdict = explore(editionModel({ slots: 2, guards: upExcept(editionGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
