import type { Entry, Mode } from './contender.ts';
import { bullmqAlone } from './contenders/bullmq-alone.ts';
import { engine } from './contenders/engine.ts';
import { httpAlone } from './contenders/http-alone.ts';
import { naive } from './contenders/naive.ts';
import { pawl } from './contenders/pawl.ts';
import { rowsAlone } from './contenders/rows-alone.ts';

/** Everything whose throughput is measured, in the order of the report. */
export const entries: Entry[] = [
  ...systemsOn('redis'),
  ...systemsOn('postgres'),
  { name: 'rows', kind: 'limit', mode: null, open: (site) => rowsAlone(site, 'commit-each') },
  { name: 'rows-grouped', kind: 'limit', mode: null, open: (site) => rowsAlone(site, 'commit-together') },
  { name: 'jobs-redis', kind: 'limit', mode: 'redis', open: (site) => bullmqAlone(site, 'redis') },
  { name: 'jobs-postgres', kind: 'limit', mode: 'postgres', open: (site) => bullmqAlone(site, 'postgres') },
  { name: 'http', kind: 'limit', mode: null, open: httpAlone },
];

function systemsOn(mode: Mode): Entry[] {
  return [
    pawlEntry(mode),
    { name: `engine-${mode}`, kind: 'system', mode, open: (site) => engine(site, mode) },
    { name: `naive-${mode}`, kind: 'system', mode, open: (site) => naive(site, mode) },
  ];
}

/** Pawl with its jobs on one of its stores. */
export function pawlEntry(mode: Mode): Entry {
  return { name: `pawl-${mode}`, kind: 'system', mode, open: (site) => pawl(site, mode) };
}

/** What a turn cannot do without where its jobs lie on `mode`, by the way its rows are committed. */
export function limitsOf(mode: Mode): { grouped: string[]; each: string[] } {
  const others = [`jobs-${mode}`, 'http'];
  return { grouped: ['rows-grouped', ...others], each: ['rows', ...others] };
}
