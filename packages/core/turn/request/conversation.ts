import { z } from 'zod';
import { agentFields } from '../agents/agent-fields.ts';
import { delayFields } from './start-fields.ts';
import { input, keepingFields, metadata, standingFields, startingFields } from './turn.ts';

/** `POST /v1/conversations`: with `input` it also starts the first turn. */
export const ConversationRequest = z
  .strictObject({
    ...agentFields,
    ...standingFields,
    ...keepingFields,
    ...startingFields,
    ...delayFields,
    input: input.nullish(),
    metadata: metadata.nullish(),
  })
  .meta({
    id: 'ConversationRequest',
    description: 'A conversation to create. Each of its turns inherits this configuration.',
    examples: [
      { model: 'sim/demo', instructions: 'You are brief.' },
      { model: 'sim/demo', instructions: 'You are brief.', input: 'Hello!' },
    ],
  });
export type ConversationRequest = z.output<typeof ConversationRequest>;

/** `PATCH /v1/conversations/:id`: replaces the given fields. */
export const ConversationChanges = z
  .strictObject({ ...agentFields, ...standingFields, ...keepingFields, metadata: metadata.nullish() })
  .meta({
    id: 'ConversationChanges',
    description:
      'The configuration that later turns of the conversation inherit, and when the conversation expires. `null` means the default.',
    examples: [{ model: 'sim/demo', instructions: null, metadata: { customer: '17' } }],
  });
