import { test as base } from 'vitest';
import { opening } from '#test/harness/opening.ts';
import { createWatchHarness } from './watch-harness.ts';

/** A test that can take a `harness` of an API process that is watched, and a `turn` of it. */
export const test = base
  .extend('harness', opening(createWatchHarness))
  .extend('turn', ({ harness }) => harness.startTurn());
