import type { Context } from 'hono';
import type { Project } from '#core/project.ts';
import type { Created, Creation } from '../../start/creation.ts';
import { quotaHeaders, refuseQuota, stateItem } from '../../start/refuse-quota.ts';
import type { TokensPerDay } from '../../start/tokens-per-day.ts';
import type { ApiContext } from '../context.ts';
import { makeOnce, withIdempotencyKey } from '../http/idempotency.ts';
import type { ApiEnv } from '../http/router.ts';

/**
 * Does the work of a request that starts a turn, once per Idempotency-Key and within the quotas of its project. A
 * queued turn above the quota is undone and refused. Every request that may start a turn uses this function.
 */
export async function startWithinQuota<M extends Created>(
  c: Context<ApiEnv>,
  context: Pick<ApiContext, 'db' | 'projects' | 'startQueue' | 'tokensPerDay'>,
  starting: Creation<M>,
): Promise<M | (Created & { isReplay: true })> {
  const project = context.projects.find(c.get('project'));
  const creation = withinTokensPerDay(context, project.name, starting);
  const { maxQueuedTurns } = project;
  if (maxQueuedTurns === null) return withIdempotencyKey(c, context, creation);
  const once = await makeOnce(c, creation);
  const admitted = await context.startQueue(
    { name: project.name, maxQueuedTurns },
    {
      standsAlone: creation.alone !== undefined,
      make: once,
      isNew: (created) => !('isReplay' in created) && !('hasJoined' in created),
    },
  );
  if (!admitted) refuseQuota(project, { name: 'max_queued_turns', resetSeconds: null });
  addQuotaHeaders(c, project, admitted.remaining);
  return admitted.result;
}

/** Adds the rest of the queued-turns quota to the headers of an earlier check. */
function addQuotaHeaders(c: Context<ApiEnv>, project: Project, remaining: number): void {
  const state = { name: 'max_queued_turns' as const, remaining, resetSeconds: null };
  c.header('RateLimit-Policy', quotaHeaders(project, state)['RateLimit-Policy']);
  c.header('RateLimit', stateItem(state), { append: true });
}

/**
 * Does the work, or refuses it if the tokens of the day are used up. A replay of an Idempotency-Key is never refused.
 */
function withinTokensPerDay<M extends Created>(
  { tokensPerDay }: { tokensPerDay: TokensPerDay },
  project: string,
  { inTransaction, alone }: Creation<M>,
): Creation<M> {
  if (inTransaction) return { inTransaction: (trx) => tokensPerDay.check(project).then(() => inTransaction(trx)) };
  return { alone: (db) => tokensPerDay.check(project).then(() => alone(db)) };
}
