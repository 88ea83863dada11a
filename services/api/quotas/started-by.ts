import type { Context } from 'hono';
import { readTraceContext } from '#core/trace-context.ts';
import type { TurnStart } from '../../start/start-turn.ts';
import type { ApiContext } from '../context.ts';
import type { ApiEnv } from '../http/router.ts';

/**
 * Returns the parts of a request that its turn keeps: project, key and trace, and whether the turn needs a slot now.
 */
export function startedBy(
  c: Context<ApiEnv>,
  { admission }: Pick<ApiContext, 'admission'>,
): Pick<TurnStart, 'project' | 'keyId' | 'trace' | 'needsSlot'> {
  return {
    project: c.get('project'),
    keyId: c.get('keyId'),
    trace: readTraceContext((name) => c.req.header(name)),
    needsSlot: admission.isNeeded(),
  };
}
