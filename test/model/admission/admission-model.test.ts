import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import type { Left } from '../explore/plain-model.ts';
import { upExcept } from '../guards/guard.ts';
import { type AdmissionGuard, admissionGuards } from './admission-guards.ts';
import { admissionModel } from './admission-model.ts';
import type { AdmissionFault, AdmissionScene } from './admission-state.ts';

const BOUNDS = { maxStates: 100_000 };
const timeout = 700_000;

const played: [AdmissionScene, Left<AdmissionFault>][] = [
  ['window', { hang: 2 }],
  ['window', { crash: 1, lostRequest: 1 }],
  ['window', { postpone: 1 }],
  ['quota', { duplicate: 1 }],
  ['quota', { wait: 1 }],
  ['quota', { flush: 1, step: 1 }],
  ['quota', { backlog: 1, cancel: 1 }],
];

test.for(played)(
  'each project gets its places, and none more than it may have: %s, %j',
  { timeout },
  ([scene, left]) => {
    const verdict = explore(admissionModel({ scene, guards: upExcept(admissionGuards, []), left }), BOUNDS);

    expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
  },
);

const guards: [string, AdmissionGuard][] = Object.entries(admissionGuards);

test.for(guards)('an admission without %s is caught', { timeout }, ([name, { scene, faults, caught, without }]) => {
  const up = upExcept(admissionGuards, [name as keyof typeof admissionGuards]);
  const verdict = explore(admissionModel({ scene, guards: up, left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
