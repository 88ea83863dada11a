import { z } from 'zod';
import { AgentRequest } from '#core/turn/agents/agent-request.ts';
import { AgentId } from '../schemas/fields/id.ts';
import { Time } from '../schemas/fields/time.ts';

const { name: _, metadata: __, ...configFields } = AgentRequest.shape;

/** An agent with one of its versions, made by `presentAgent`. */
export const Agent = z
  .object({
    id: AgentId,
    object: z.literal('agent'),
    name: z.string().describe('The name of the agent. It is unique in the project.'),
    version: z.int().describe('The number of this version. The first version is 1.'),
    labels: z
      .record(
        z.string(),
        z.union([
          z.object({ version: z.int().describe('The version that the label names.') }),
          z.object({
            versions: z.record(z.string(), z.int()).describe('The versions that the label names, with their weights.'),
          }),
        ]),
      )
      .describe('The labels of the agent, with their versions.'),
    config: z.object(configFields).describe('The fields of this version. Turns get the defaults of the others.'),
    metadata: z.record(z.string(), z.string()).describe('Key-value pairs that the caller stores with the agent.'),
    created_at: Time,
    version_created_at: Time.describe('The time when this version was created.'),
  })
  .meta({
    id: 'Agent',
    description: 'An agent: a configuration with a name and versions.',
    examples: [
      {
        ...{ id: 'agent_01kagz8m4pfvbte2n5q7rys3wx', object: 'agent', name: 'support', version: 7 },
        labels: { production: { version: 6 } },
        config: { model: 'sim/demo', instructions: 'You help {{customer}}.', tools: ['get_weather'] },
        ...{ metadata: {}, created_at: '2026-11-20T10:00:00.000Z', version_created_at: '2026-11-27T10:00:00.000Z' },
      },
    ],
  });
