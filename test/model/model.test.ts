import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from './explore/describe-verdict.ts';
import { explore } from './explore/explore.ts';
import { turnModel } from './explore/turn-model.ts';
import type { Budget } from './fault.ts';
import { guardNames, guardsUp } from './guards/all-guards.ts';
import type { Scene } from './scene.ts';

/** By states: the time, far beyond what any takes, only ends what would never end. */
const BOUNDS = { maxStates: 400_000 };
const timeout = 700_000;
const ANY = {
  crash: 1,
  hang: 1,
  flush: 1,
  duplicate: 1,
  wedge: 1,
  backlog: 1,
  later: 1,
  shutdown: 1,
  refusal: 1,
  cancel: 1,
};
const AGAIN = { definite: 1, retry: 1 };

const played: [string, Scene, Budget][] = [
  ['a turn with tools', { calls: 'tools' }, { ...ANY, stall: 1, lostAck: 1, total: 1 }],
  ['a retried turn with tools', { calls: 'tools' }, { ...AGAIN, lostAck: 1 }],
  ['a turn that waits for its client', { calls: 'client' }, { ...ANY, lostAck: 1, total: 1 }],
  ['a turn whose client may stay away', { calls: 'client', expires: true }, { answer: 1, crash: 1 }],
  ['a turn that waits for a person', { calls: 'approval', expires: true }, { answer: 1, shutdown: 1 }],
  ['a turn that hands a call over', { calls: 'handed' }, { ...ANY, stall: 1, refusal: 0, hang: 0, total: 1 }],
  ['a turn whose answers may not fit', { calls: 'unfit' }, { ...ANY, stall: 1, lostAck: 1, total: 1 }],
  ['a retried turn whose answers may not fit', { calls: 'unfit' }, { ...AGAIN, lostAck: 1, stall: 1, total: 1 }],
  [
    'a turn that begins with adopted calls',
    { calls: 'once', adopts: true },
    { ...ANY, stall: 1, lostAck: 1, total: 1 },
  ],
  ['a short turn', { calls: 'none' }, { ...ANY, stall: 1, lostAck: 1, total: 2 }],
  [
    'a retried turn with another behind it',
    { calls: 'none', next: 'waits' },
    { ...ANY, ...AGAIN, stall: 1, lostAck: 1, total: 1 },
  ],
  ['a turn that another comes behind', { calls: 'none', next: 'comes' }, { ...ANY, stall: 1, lostAck: 1, total: 1 }],
  [
    'a turn whose worker continues',
    { calls: 'tools', continues: true, maxRequests: 1 },
    { duplicate: 1, backlog: 1, lostAck: 1, flush: 1, wedge: 1, total: 2 },
  ],
  ['a turn without a rescuer', { calls: 'tools', rescuerOff: true }, { crash: 1, stall: 1, later: 1, total: 1 }],
  ['a retried turn without a rescuer', { calls: 'none', rescuerOff: true }, AGAIN],
];

test.for(played)('%s keeps every promise and can always end: %j, %j', { timeout }, ([_, scene, budget]) => {
  const verdict = explore(turnModel({ scene, guards: guardsUp(), budget }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

test.each(guardNames)('a mutant without %s is caught', (name, { rule, file, without, scene, faults, caught }) => {
  const verdict = explore(turnModel({ scene, guards: guardsUp(name), budget: faults }), BOUNDS);

  expect(
    caughtAs(verdict),
    `${without} (${rule}, ${file}), and the model shows something else:\n${describeVerdict(verdict)}`,
  ).toEqual(caught);
});
