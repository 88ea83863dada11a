import type { Ground } from './ground/open-ground.ts';
import type { Options } from './read-options.ts';
import type { Goal } from './report/goal.ts';

/** What can be measured; each has a file of its name in `scenarios/`. */
export const scenarioNames = [
  'throughput',
  'long-turns',
  'old-database',
  'idle',
  'api',
  'memory',
  'storage',
  'streams',
  'workers',
  'check',
] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** What a scenario found: tables for a terminal, and how it stands with the goals. */
export type Findings = { text: string; goals: Goal[] };

export type Scenario = (ground: Ground, options: Options) => Promise<Findings>;
