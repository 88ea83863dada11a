import { test as base } from 'vitest';
import { opening } from '#test/harness/opening.ts';
import { createWatchHarness } from './watch-harness.ts';

/** A test with a watched API process as `harness`, and a `turn` of that process. */
export const test = base
  .extend('harness', opening(createWatchHarness))
  .extend('turn', ({ harness }) => harness.startTurn());
