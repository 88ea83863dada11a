import { z } from 'zod';
import { delayFields } from './start-fields.ts';
import { input, keepingFields, metadata, standingFields, startingFields } from './turn.ts';

/** `POST /v1/conversations`: with `input` it also starts the first turn. */
export const ConversationRequest = z
  .strictObject({
    ...standingFields,
    ...keepingFields,
    ...startingFields,
    ...delayFields,
    input: input.nullish(),
    metadata: metadata.nullish(),
  })
  .meta({
    id: 'ConversationRequest',
    description: 'A conversation to be created. What it is given, each of its turns inherits.',
    examples: [
      { model: 'sim/demo', instructions: 'You are brief.' },
      { model: 'sim/demo', instructions: 'You are brief.', input: 'Hello!' },
    ],
  });
export type ConversationRequest = z.output<typeof ConversationRequest>;

/** `PATCH /v1/conversations/:id`: what is given replaces what stands. */
export const ConversationChanges = z
  .strictObject({ ...standingFields, ...keepingFields, metadata: metadata.nullish() })
  .meta({
    id: 'ConversationChanges',
    description: 'What later turns of a conversation inherit, and when it expires; `null` means the default.',
    examples: [{ model: 'sim/demo', instructions: null, metadata: { customer: '17' } }],
  });
