import type { BenchHarness } from './open-harness.ts';
import type { Options } from './read-options.ts';
import type { Goal } from './report/goal.ts';

/** What a scenario found: tables for a terminal, and how it stands with the goals. */
export type Findings = { text: string; goals: Goal[] };

export type Scenario = (harness: BenchHarness, options: Options) => Promise<Findings>;
