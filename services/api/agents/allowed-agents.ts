import type { Context } from 'hono';
import { RequestRefused } from '#core/failure.ts';
import { allowedAgentsOf } from '#core/project.ts';
import type { ApiContext } from '../context.ts';
import type { ApiEnv } from '../http/router.ts';

/** The part of the API that knows the projects. */
type Own = Pick<ApiContext, 'projects'>;

/** Returns the names of the only agents that a request may use. Null if it may use any agent, or none. */
export function allowedAgents(c: Context<ApiEnv>, { projects }: Own): readonly string[] | null {
  return allowedAgentsOf(projects.find(c.get('project')), c.get('keyId'));
}

/** Refuses a change of agents or labels by a key that has a list of allowed agents. A project's list does not count. */
export function refuseKeyWithAgents(c: Context<ApiEnv>, { projects }: Own): void {
  const { agentsOfKeys } = projects.find(c.get('project'));
  if (!agentsOfKeys.has(c.get('keyId') ?? '')) return;
  const message = 'This key has `allowed_agents`, so it cannot change agents. Use another key, or ask the operator.';
  throw new RequestRefused(403, 'agent_not_allowed', message);
}
