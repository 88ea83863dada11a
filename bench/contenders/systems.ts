import type { System } from '../contender.ts';
import { engine } from './engine.ts';
import { naive } from './naive.ts';
import { pawl } from './pawl.ts';

/** All contenders of the scenario `throughput`, in the order of the report. */
export const systems: System[] = (['redis', 'postgres'] as const).flatMap((mode) => [
  { name: `pawl-${mode}`, mode, open: pawl },
  { name: `engine-${mode}`, mode, open: engine },
  { name: `naive-${mode}`, mode, open: naive },
]);
