import type { ApiContext } from '../context.ts';
import { joinRoutes } from '../http/router.ts';
import { changeAgentRoutes } from './change-agent.ts';
import { createAgentRoutes } from './create-agent.ts';
import { labelRoutes } from './labels.ts';
import { readAgentRoutes } from './read-agents.ts';

/** Serves `/v1/agents`. */
export const agentRoutes = joinRoutes<ApiContext>(createAgentRoutes, readAgentRoutes, changeAgentRoutes, labelRoutes);
