import type { Entry } from './contender.ts';
import { bullmqAlone } from './contenders/bullmq-alone.ts';
import { httpAlone } from './contenders/http-alone.ts';
import { pawl } from './contenders/pawl.ts';
import { postgresAlone } from './contenders/postgres-alone.ts';

/** Everything that is measured, in the order of the report. */
export const entries: Entry[] = [
  { name: 'pawl-redis', needsRedis: true, open: (ground) => pawl(ground, 'redis') },
  { name: 'pawl-postgres', needsRedis: false, open: (ground) => pawl(ground, 'postgres') },
  { name: 'rows-alone', needsRedis: false, open: postgresAlone },
  { name: 'jobs-redis-alone', needsRedis: true, open: (ground) => bullmqAlone(ground, 'redis') },
  { name: 'jobs-postgres-alone', needsRedis: false, open: (ground) => bullmqAlone(ground, 'postgres') },
  { name: 'http-alone', needsRedis: false, open: httpAlone },
];

/** What one turn of Pawl cannot do without, on each queue. */
export const limitsOf: Record<string, string[]> = {
  'pawl-redis': ['rows-alone', 'jobs-redis-alone', 'http-alone'],
  'pawl-postgres': ['rows-alone', 'jobs-postgres-alone', 'http-alone'],
};
