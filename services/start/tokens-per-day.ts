import type { Db } from '#core/checkpoint/tables.ts';
import { sumTokensOfDay, type TokensOfDay } from '#core/checkpoint/usage/sum-tokens-of-day.ts';
import type { Projects } from '../process/projects.ts';
import { refuseQuota } from './refuse-quota.ts';

/** Knows how many tokens each project has used in the current UTC day. */
export type TokensPerDay = {
  /** Refuses a request if its project has used up its tokens. Without a quota, no query runs. */
  check(project: string): Promise<void>;
};

/** The maximum age of a sum that decides. */
const MAX_AGE_MS = 1_000;

/** After this time, the whole day is summed again, because usage is known to the microsecond for an hour only. */
const KNOWN_FOR_MS = 1_200_000;

type Read = { tokens: TokensOfDay; at: number };

/** Knows how many tokens each project has used today, to the second. Projects without a quota are not queried. */
export function makeTokensPerDay(db: Db, projects: Projects): TokensPerDay {
  const latest = new Map<string, Read>();
  const reading = new Map<string, Promise<Read>>();

  async function readAnew(project: string): Promise<Read> {
    const before = latest.get(project);
    const at = performance.now();
    const known = before && at - before.at < KNOWN_FOR_MS ? before.tokens : null;
    const read = { tokens: await sumTokensOfDay(db, project, known), at };
    latest.set(project, read);
    return read;
  }

  /** A single statement answers all requests that arrive together. */
  function readOnce(project: string): Promise<Read> {
    const known = latest.get(project);
    if (known && performance.now() - known.at < MAX_AGE_MS) return Promise.resolve(known);
    const under = reading.get(project) ?? readAnew(project).finally(() => reading.delete(project));
    reading.set(project, under);
    return under;
  }

  async function check(name: string): Promise<void> {
    const project = projects.find(name);
    if (project.tokensPerDay === null) return;
    const { tokens } = await readOnce(name);
    if (tokens.tokens < project.tokensPerDay) return;
    refuseQuota(project, { name: 'tokens_per_day', resetSeconds: tokens.secondsLeft });
  }

  return { check };
}
