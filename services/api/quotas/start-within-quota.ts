import type { Context } from 'hono';
import type { Project } from '#core/project.ts';
import type { Made, Making } from '../../start/made.ts';
import { quotaHeaders, refuseQuota, stateItem } from '../../start/refuse-quota.ts';
import type { ApiContext } from '../context.ts';
import { makeOnce, withIdempotencyKey } from '../http/idempotency.ts';
import type { ApiEnv } from '../http/router.ts';
import { withinTokensPerDay } from './within-tokens-per-day.ts';

/**
 * Does the work of a request that starts a turn, once per Idempotency-Key and within the quotas of its project: what would be
 * one queued turn too many is undone and refused. Every request that may start a turn goes this way.
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

/** Beside what an earlier check has told. */
function tell(c: Context<ApiEnv>, project: Project, remaining: number): void {
  const state = { name: 'max_queued_turns' as const, remaining, resetSeconds: null };
  c.header('RateLimit-Policy', quotaHeaders(project, state)['RateLimit-Policy']);
  c.header('RateLimit', stateItem(state), { append: true });
}
