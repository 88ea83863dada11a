import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import type { Left } from '../explore/plain-model.ts';
import { upExcept } from '../guards/guard.ts';
import { compactionGuards } from './compaction-guards.ts';
import { compactionModel } from './compaction-model.ts';
import type { CompactionFault } from './compaction-state.ts';

const BOUNDS = { maxStates: 100_000 };
const timeout = 700_000;

const played: Left<CompactionFault>[] = [
  { crash: 2, duplicate: 2, lostAck: 1 },
  { crash: 1, duplicate: 1, lostAck: 1, cancel: 1 },
  { crash: 1, duplicate: 1, delete: 2 },
];

test.for(played)(
  'a history is compacted once before a round, and tells nothing that is deleted: %j',
  { timeout },
  (left) => {
    const verdict = explore(compactionModel({ guards: upExcept(compactionGuards, []), left }), BOUNDS);

    expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
  },
);

const names = Object.keys(compactionGuards) as (keyof typeof compactionGuards)[];

test.each(names)('a compaction without %s is caught', (name) => {
  const { faults, caught, without } = compactionGuards[name];
  const verdict = explore(compactionModel({ guards: upExcept(compactionGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
