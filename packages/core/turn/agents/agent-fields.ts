import { z } from 'zod';
import { AGENT_REFERENCE } from './agent-reference.ts';
import { MAX_VARIABLES, VARIABLE } from './fill-variables.ts';

const NAMED = 'name variables with letters, digits, _ and -, beginning with a letter or _';

/** Values for the variables of instructions. */
const variables = z
  .record(z.string().regex(VARIABLE, NAMED), z.string())
  .refine((values) => Object.keys(values).length <= MAX_VARIABLES, `give at most ${MAX_VARIABLES} variables`)
  .meta({ maxProperties: MAX_VARIABLES, propertyNames: { pattern: VARIABLE.source } });

/** The fields of turns, conversations, schedules, forks and reruns that name an agent. */
export const agentFields = {
  agent: z
    .string()
    .regex(AGENT_REFERENCE, 'give the name of an agent, alone or with @ and a version or a label')
    .nullish()
    .describe(
      'The agent that gives the configuration: `support`, `support@7` or `support@production`. Other fields of the request override its fields.',
    ),
  variables: variables
    .nullish()
    .describe(
      'Texts that replace `{{name}}` in the instructions. With an agent, all variables of its instructions are required. Instructions that are not an agent’s are only changed if `variables` is given.',
    ),
};
