import { z } from 'zod';
import { metadata, standingFields } from '../request/turn.ts';
import { AGENT_NAME } from './agent-reference.ts';

const NAME = 'use a lower-case letter, then up to 63 lower-case letters, digits, _ and -';

/** `POST /v1/agents`. */
export const AgentRequest = z
  .strictObject({
    name: z.string().regex(AGENT_NAME, NAME).describe('The name of the agent. It is unique in the project.'),
    ...standingFields,
    metadata: metadata.nullish(),
  })
  .meta({
    id: 'AgentRequest',
    description: 'An agent to create: its name, and the configuration of its first version.',
    examples: [{ name: 'support', model: 'sim/demo', instructions: 'You help {{customer}}.' }],
  });
export type AgentRequest = z.output<typeof AgentRequest>;

const MAX_VERSION = 999_999_999;

/** The number of a version. */
const agentVersion = z.int().min(1).max(MAX_VERSION);

/** `PATCH /v1/agents/:id`: an omitted field stays, `null` restores the default. */
export const AgentChanges = z
  .strictObject({
    ...standingFields,
    version: agentVersion
      .nullish()
      .describe('The version that the change is based on. By default the current version.'),
    metadata: metadata.nullish(),
  })
  .meta({
    id: 'AgentChanges',
    description: 'The fields that differ in the next version of an agent. Metadata alone creates no version.',
    examples: [{ instructions: 'You are brief.', version: 1 }],
  });
export type AgentChanges = z.output<typeof AgentChanges>;

const WEIGHT = 'give a whole number from 1 to 1000000';
const MAX_WEIGHT = 1_000_000;
const MAX_WEIGHTED = 10;

/** `PUT /v1/agents/:id/labels/:label`. */
export const LabelRequest = z
  .strictObject({
    version: agentVersion.nullish().describe('The version that the label names.'),
    versions: z
      .record(
        z.string().regex(/^[1-9][0-9]{0,8}$/, 'give versions by their numbers'),
        z.int().min(1, WEIGHT).max(MAX_WEIGHT, WEIGHT),
      )
      .refine((weights) => Object.keys(weights).length > 0, 'give at least one version')
      .refine((weights) => Object.keys(weights).length <= MAX_WEIGHTED, `give at most ${MAX_WEIGHTED} versions`)
      .nullish()
      .describe('Versions with their weights. Each conversation gets one version, by a hash of its id.'),
  })
  .meta({
    id: 'LabelRequest',
    description: 'The version that a label names, or versions with weights. Give `version` or `versions`.',
    examples: [{ version: 7 }, { versions: { '7': 90, '8': 10 } }],
  });
export type LabelRequest = z.output<typeof LabelRequest>;
