import { expect, test } from 'vitest';
import { caughtAs, describeVerdict } from './explore/describe-verdict.ts';
import { suites } from './suites.ts';

/**
 * The bound on the nearest states of each scene. `npm run model` explores all states. A mutant is found well within
 * the second bound.
 */
const NEAREST = { maxStates: 1_000 };
const MUTANTS = { maxStates: 400_000 };

const scenes = Object.values(suites).flatMap(({ promise, ...suite }) =>
  suite.scenes({ each: 1 }).map((scene) => ({ promise, ...scene })),
);

test.each(scenes)('$promise, in the nearest states of $name', ({ play }) => {
  const verdict = play(NEAREST);

  expect(['safe', 'cut'], describeVerdict(verdict)).toContain(caughtAs(verdict));
});

const mutants = Object.entries(suites).flatMap(([model, suite]) => suite.mutants.map((one) => ({ model, ...one })));

test.each(mutants)('a mutant of $model without $name is caught', ({ play, without, caught }) => {
  const verdict = play(MUTANTS);

  expect(caughtAs(verdict), `${without}, but the model reports:\n${describeVerdict(verdict)}`).toBe(caught);
});
