import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from '../explore/describe-verdict.ts';
import { explore } from '../explore/explore.ts';
import { upExcept } from '../guards/guard.ts';
import { bulkGuards } from './bulk-guards.ts';
import { bulkModel } from './bulk-model.ts';

const BOUNDS = { maxStates: 300_000 };

test('a bulk treats the turns that it means, each once, whoever dies or sleeps', () => {
  const left = { crash: 1, stall: 1, create: 1, fail: 1 };
  const verdict = explore(bulkModel({ guards: upExcept(bulkGuards, []), left }), BOUNDS);

  expect(verdict.kind, describeVerdict(verdict)).toBe('safe');
});

const names = Object.keys(bulkGuards) as (keyof typeof bulkGuards)[];

test.each(names)('a bulk without %s is caught', (name) => {
  const { faults, caught, without } = bulkGuards[name];
  const verdict = explore(bulkModel({ guards: upExcept(bulkGuards, [name]), left: faults }), BOUNDS);

  expect(caughtAs(verdict), `${without}:\n${describeVerdict(verdict)}`).toEqual(caught);
});
