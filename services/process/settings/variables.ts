import { z } from 'zod';
import { API_VARIABLES, CONNECTION_VARIABLES, KEY_VARIABLES, STORE_VARIABLES } from './connection-variables.ts';
import {
  CALL_VARIABLES,
  LOG_VARIABLES,
  MODEL_VARIABLES,
  TOOL_VARIABLES,
  WORKER_VARIABLES,
} from './worker-variables.ts';

/** The variables that a process reads at its start, by section of docs/configuration.md. */
export const VARIABLES = {
  'The API': API_VARIABLES,
  'PostgreSQL and Redis': STORE_VARIABLES,
  'Keys and secrets': KEY_VARIABLES,
  Models: MODEL_VARIABLES,
  'Time limits of model calls': CALL_VARIABLES,
  Tools: TOOL_VARIABLES,
  Network: CONNECTION_VARIABLES,
  'Workers and retention': WORKER_VARIABLES,
  'Logs, metrics and traces': LOG_VARIABLES,
};

/** The schema of the environment. It ignores other variables. */
export const Environment = z.object({
  ...API_VARIABLES,
  ...STORE_VARIABLES,
  ...KEY_VARIABLES,
  ...MODEL_VARIABLES,
  ...CALL_VARIABLES,
  ...TOOL_VARIABLES,
  ...CONNECTION_VARIABLES,
  ...WORKER_VARIABLES,
  ...LOG_VARIABLES,
});
