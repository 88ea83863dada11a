import { createMiddleware } from 'hono/factory';
import { type CountedRequests, countRequests } from '#core/checkpoint/limits/count-requests.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { type BatchEntry, batchConcurrent } from '#core/postgres/batch.ts';
import type { Project } from '#core/project.ts';
import type { Projects } from '../../process/projects.ts';
import { type QuotaState, quotaHeaders, refuseQuota } from '../../start/refuse-quota.ts';
import type { ApiEnv } from '../http/router.ts';

/** Counts the requests of projects with a request quota, over all API processes. */
export type RequestQuota = {
  /** Counts a request that changes data. A negative rest means that the request exceeds the quota. */
  count(project: Project & { requestsPerMinute: number }): Promise<QuotaState>;
};

type Entry = BatchEntry<string, CountedRequests>;

/** The maximum number of projects and requests in a statement. */
const MAX_BATCH = 1_000;

/**
 * Counts in the database, in one statement at a time for all requests that arrive while it runs. After a project's
 * minute is full, this process sends no query for it until the minute is over.
 */
export function makeRequestQuota(db: Db, now: () => number = () => performance.now()): RequestQuota {
  const countOne = batchConcurrent<string, CountedRequests>((group) => countGroup(db, group), MAX_BATCH);
  const fullUntil = new Map<string, { quota: number; at: number }>();
  const name = 'requests_per_minute' as const;
  return {
    count: async (project) => {
      const quota = project.requestsPerMinute;
      const full = fullUntil.get(project.name);
      if (full?.quota === quota && now() < full.at)
        return { name, remaining: -1, resetSeconds: wholeSeconds((full.at - now()) / 1_000) };
      const { requests, secondsLeft } = await countOne(project.name);
      if (requests > quota) fullUntil.set(project.name, { quota, at: now() + secondsLeft * 1_000 });
      else fullUntil.delete(project.name);
      return { name, remaining: quota - requests, resetSeconds: wholeSeconds(secondsLeft) };
    },
  };
}

function wholeSeconds(seconds: number): number {
  return Math.max(1, Math.ceil(seconds));
}

/** Counts each request as if it were alone, in order of arrival. */
async function countGroup(db: Db, group: Entry[]): Promise<void> {
  const byProject = Map.groupBy(group, ({ statement }) => statement);
  const counts = [...byProject].map(([project, { length }]) => ({ project, requests: length }));
  const counted = new Map((await countRequests(db, counts)).map((row) => [row.project, row]));
  for (const [project, entries] of byProject) {
    const row = counted.get(project) ?? { project, requests: 0, secondsLeft: 60 };
    for (const [index, { resolve }] of entries.entries())
      resolve({ ...row, requests: row.requests - entries.length + index + 1 });
  }
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses a request that changes data and exceeds the quota of its project. Sends the rest to other requests. */
export function checkRequestQuota({ projects, requestQuota }: { projects: Projects; requestQuota: RequestQuota }) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    if (READS.has(c.req.method)) return next();
    const project = projects.find(c.get('project'));
    const { requestsPerMinute } = project;
    if (requestsPerMinute === null) return next();
    const state = await requestQuota.count({ ...project, requestsPerMinute });
    if (state.remaining < 0) refuseQuota(project, state);
    for (const [name, value] of Object.entries(quotaHeaders(project, state))) c.header(name, value);
    return next();
  });
}
