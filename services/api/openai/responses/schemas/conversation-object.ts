import { z } from '@hono/zod-openapi';
import { TurnRequest } from '#core/turn/request/turn.ts';
import { ConversationId } from '../../../schemas/fields/id.ts';
import { GivenItem } from '../response-body.ts';
import { OutputItem } from './output-item.ts';
import { InputItemList, ListedInputItem } from './response-object.ts';

/** A conversation in OpenAI's shape. */
export const ConversationObject = z
  .object({
    id: ConversationId,
    object: z.literal('conversation'),
    created_at: z.int().describe('The time of creation, in Unix seconds.'),
    metadata: z
      .record(z.string(), z.string())
      .describe('Key-value pairs that the caller stores with the conversation.'),
  })
  .meta({
    id: 'OpenaiConversation',
    description: 'A conversation in OpenAI’s shape.',
    examples: [
      { id: 'conv_01kagz8m4pfvbte2n5q7rys3wx', object: 'conversation', created_at: 1_795_392_000, metadata: {} },
    ],
  });

/** The answer to a delete. */
export const DeletedConversation = z.object({
  id: ConversationId,
  object: z.literal('conversation.deleted'),
  deleted: z.literal(true),
});

const MOST_ITEMS = 20;
const items = z.array(GivenItem).max(MOST_ITEMS);
const metadata = TurnRequest.shape.metadata;

/** The body of `POST /openai/v1/conversations`. Items are read by type, not here. */
export const ConversationBody = z
  .strictObject({
    items: items.nullish().describe('The initial items, in the form of a response’s input.'),
    metadata: metadata.describe('Key-value pairs to store with the conversation.'),
  })
  .meta({
    id: 'ConversationBody',
    description: 'The request to create a conversation, in OpenAI’s shape.',
    examples: [{ items: [{ role: 'user', content: 'I am Ada.' }], metadata: { order: '17' } }],
  });
export type ConversationBody = z.output<typeof ConversationBody>;

/** The body of `POST /openai/v1/conversations/:id`. */
export const MetadataBody = z
  .strictObject({
    metadata: metadata.unwrap().describe('Key-value pairs that replace the stored pairs. Null removes all pairs.'),
  })
  .meta({
    id: 'ConversationMetadataBody',
    description: 'The new metadata of a conversation.',
    examples: [{ metadata: { order: '18' } }],
  });

/** The body of `POST /openai/v1/conversations/:id/items`. */
export const ItemsBody = z
  .strictObject({ items: items.min(1).describe('The items, in the form of a response’s input.') })
  .meta({
    id: 'ConversationItemsBody',
    description: 'Items to add to a conversation.',
    examples: [{ items: [{ role: 'user', content: 'I am Ada.' }] }],
  });

/** An item of a conversation, from an input or an output. */
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

/** A page of a conversation's items. */
export const ConversationItemList = InputItemList.extend({
  data: z.array(ConversationItem).describe('The items of this page.'),
});
