import type { Entry } from './contender.ts';
import { bullmqAlone } from './contenders/bullmq-alone.ts';
import { engine } from './contenders/engine.ts';
import { httpAlone } from './contenders/http-alone.ts';
import { naive } from './contenders/naive.ts';
import { pawl } from './contenders/pawl.ts';
import { rowsAlone } from './contenders/rows-alone.ts';
import type { Mode } from './mode.ts';

/** All contenders of the scenario `throughput`, in the order of the report. */
export const entries: Entry[] = [
  ...systemsOn('redis'),
  ...systemsOn('postgres'),
  { name: 'rows', kind: 'limit', mode: null, open: (setup) => rowsAlone(setup, 'commit-each') },
  { name: 'rows-grouped', kind: 'limit', mode: null, open: (setup) => rowsAlone(setup, 'commit-together') },
  { name: 'jobs-redis', kind: 'limit', mode: 'redis', open: (setup) => bullmqAlone(setup, 'redis') },
  { name: 'jobs-postgres', kind: 'limit', mode: 'postgres', open: (setup) => bullmqAlone(setup, 'postgres') },
  { name: 'http', kind: 'limit', mode: null, open: httpAlone },
];

function systemsOn(mode: Mode): Entry[] {
  return [
    pawlEntry(mode),
    { name: `engine-${mode}`, kind: 'system', mode, open: (setup) => engine(setup, mode) },
    { name: `naive-${mode}`, kind: 'system', mode, open: (setup) => naive(setup, mode) },
  ];
}

/** Pawl with its jobs on one of its stores. */
export function pawlEntry(mode: Mode): Entry {
  return { name: `pawl-${mode}`, kind: 'system', mode, open: (setup) => pawl(setup, mode) };
}

/** The least that a turn needs with its jobs on `mode`, by the way its rows are committed. */
export function limitsOf(mode: Mode): { grouped: string[]; each: string[] } {
  const others = [`jobs-${mode}`, 'http'];
  return { grouped: ['rows-grouped', ...others], each: ['rows', ...others] };
}
