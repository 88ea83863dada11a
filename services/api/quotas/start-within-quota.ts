import type { Context } from 'hono';
import type { Project } from '#core/project.ts';
import type { Made, Making } from '../../start/made.ts';
import { quotaHeaders, refuseQuota, stateItem } from '../../start/refuse-quota.ts';
import type { TokensPerDay } from '../../start/tokens-per-day.ts';
import type { ApiContext } from '../context.ts';
import { makeOnce, withIdempotencyKey } from '../http/idempotency.ts';
import type { ApiEnv } from '../http/router.ts';

/**
 * Does the work of a request that starts a turn, once per Idempotency-Key and within the quotas of its project. A
 * queued turn above the quota is undone and refused. Every request that may start a turn uses this function.
 */
export async function startWithinQuota<M extends Made>(
  c: Context<ApiEnv>,
  context: Pick<ApiContext, 'db' | 'projects' | 'startQueue' | 'tokensPerDay'>,
  starting: Making<M>,
): Promise<M | (Made & { isReplay: true })> {
  const project = context.projects.find(c.get('project'));
  const making = withinTokensPerDay(context, project.name, starting);
  const { maxQueuedTurns } = project;
  if (maxQueuedTurns === null) return withIdempotencyKey(c, context, making);
  const once = await makeOnce(c, making);
  const admitted = await context.startQueue(
    { name: project.name, maxQueuedTurns },
    {
      standsAlone: making.atOnce !== undefined,
      make: once,
      isNew: (made) => !('isReplay' in made) && !('hasJoined' in made),
    },
  );
  if (!admitted) refuseQuota(project, { name: 'max_queued_turns', resetSeconds: null });
  tell(c, project, admitted.remaining);
  return admitted.made;
}

/** Adds the rest of the queued-turns quota to the headers of an earlier check. */
function tell(c: Context<ApiEnv>, project: Project, remaining: number): void {
  const state = { name: 'max_queued_turns' as const, remaining, resetSeconds: null };
  c.header('RateLimit-Policy', quotaHeaders(project, state)['RateLimit-Policy']);
  c.header('RateLimit', stateItem(state), { append: true });
}

/**
 * Does the work, or refuses it if the tokens of the day are used up. A replay of an Idempotency-Key is never refused.
 */
function withinTokensPerDay<M extends Made>(
  { tokensPerDay }: { tokensPerDay: TokensPerDay },
  project: string,
  { together, atOnce }: Making<M>,
): Making<M> {
  if (together) return { together: (trx) => tokensPerDay.check(project).then(() => together(trx)) };
  return { atOnce: (db) => tokensPerDay.check(project).then(() => atOnce(db)) };
}
