import { z } from '@hono/zod-openapi';
import { TurnRequest } from '#core/turn/request/turn.ts';
import { ConversationId } from '../../../schemas/fields/id.ts';
import { GivenItem } from '../response-body.ts';
import { OutputItem } from './output-item.ts';
import { InputItemList, ListedInputItem } from './response-object.ts';

/** A conversation, as OpenAI's clients read it. */
export const ConversationObject = z
  .object({
    id: ConversationId,
    object: z.literal('conversation'),
    created_at: z.int().describe('When it was created, in Unix seconds.'),
    metadata: z.record(z.string(), z.string()).describe('What the caller keeps with it.'),
  })
  .meta({
    id: 'OpenaiConversation',
    description: 'A conversation as OpenAI’s API shows it.',
    examples: [
      { id: 'conv_01kagz8m4pfvbte2n5q7rys3wx', object: 'conversation', created_at: 1_795_392_000, metadata: {} },
    ],
  });

/** What a delete answers. */
export const DeletedConversation = z.object({
  id: ConversationId,
  object: z.literal('conversation.deleted'),
  deleted: z.literal(true),
});

const MOST_ITEMS = 20;
const items = z.array(GivenItem).max(MOST_ITEMS);
const metadata = TurnRequest.shape.metadata;

/** `POST /openai/v1/conversations`. Items are read by their types, not here. */
export const ConversationBody = z
  .strictObject({
    items: items.nullish().describe('What it begins with: items as in the input of a response.'),
    metadata: metadata.describe('What to keep with it.'),
  })
  .meta({
    id: 'ConversationBody',
    description: 'A conversation to be created, as OpenAI’s API has it.',
    examples: [{ items: [{ role: 'user', content: 'I am Ada.' }], metadata: { order: '17' } }],
  });
export type ConversationBody = z.output<typeof ConversationBody>;

/** `POST /openai/v1/conversations/:id`. */
export const MetadataBody = z
  .strictObject({ metadata: metadata.unwrap().describe('What to keep with it instead; null for nothing.') })
  .meta({
    id: 'ConversationMetadataBody',
    description: 'What a conversation is to have for metadata.',
    examples: [{ metadata: { order: '18' } }],
  });

/** `POST /openai/v1/conversations/:id/items`. */
export const ItemsBody = z.strictObject({ items: items.min(1).describe('Items as in the input of a response.') }).meta({
  id: 'ConversationItemsBody',
  description: 'Items to be added to a conversation.',
  examples: [{ items: [{ role: 'user', content: 'I am Ada.' }] }],
});

/** An item of a conversation: of what it was told, or of what was answered. */
export const ConversationItem = z.union([OutputItem, ListedInputItem]).meta({
  id: 'ConversationItem',
  description: 'An item of a conversation, in OpenAI’s shape.',
  examples: [
    {
      ...{ id: 'msg_01kagz8m4pfvbte2n5q7rys3wx_i0', type: 'message', role: 'user', status: 'completed' },
      content: [{ type: 'input_text', text: 'I am Ada.' }],
    },
  ],
});

/** A page of a conversation's items (contract-responses R3). */
export const ConversationItemList = InputItemList.extend({
  data: z.array(ConversationItem).describe('What is on this page.'),
});
