import { z } from '@hono/zod-openapi';
import type { Db } from '#core/checkpoint/tables.ts';
import { listHistory } from '#core/checkpoint/turns/reading/history.ts';
import { anthropicHistory } from '#core/turn/history/anthropic.ts';
import { compactHistory } from '#core/turn/history/compact.ts';
import { geminiHistory } from '#core/turn/history/gemini.ts';
import { openaiHistory } from '#core/turn/history/openai.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../context.ts';
import { answerTagged } from '../http/answer-tagged.ts';
import { findOwnConversation } from '../http/find-own.ts';
import { jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { entityTagHeader, ifNoneMatch, notModified } from '../schemas/fields/headers.ts';
import { ConversationId } from '../schemas/fields/id.ts';
import { PageQuery, readCursor } from '../schemas/page.ts';
import { listSent } from '../turns/sent/list-sent.ts';
import { MessageList } from './schemas/message-list.ts';

const Format = z
  .enum(['compact', 'openai', 'anthropic', 'gemini'])
  .default('compact')
  .describe(
    'The format of the messages. By default an answer is one message with its rounds. A wire’s name ' +
      'expands the rounds into messages of that wire.',
  );
const View = z
  .enum(['kept', 'sent'])
  .default('kept')
  .describe(
    'Which messages to return: all that Pawl keeps, or those that a model would receive now, with ' +
      'summaries of compacted history.',
  );
/** The maximum number of turns on a page. The query adds up the sizes of this many turns, whether they fit or not. */
const TURNS = 100;

type History = { data: Record<string, unknown>[]; system?: string | null };

const route = routesOf('Conversations');

const read = route('get', '/v1/conversations/{id}/messages', 'readMessages', {
  summary: 'Read the messages of a conversation',
  description:
    'Returns all messages. If a conversation has more than 100 turns or several megabytes, Pawl ' +
    'returns pages of whole turns.',
  parameters: [ifNoneMatch],
  request: {
    params: z.object({ id: ConversationId }),
    query: PageQuery.pick({ cursor: true }).extend({ format: Format, view: View }),
  },
  answers: { 200: jsonAnswer('The messages, oldest first.', MessageList, entityTagHeader), ...notModified },
  refusals: ['conversation_not_found', 'invalid_value'],
});

/** Serves `GET /v1/conversations/:id/messages`. */
export function messageRoutes({ readAnywhere }: ApiContext) {
  return makeRouter().openapi(read, async (c) => {
    const { id } = c.req.valid('param');
    const { format, view, cursor } = c.req.valid('query');
    const { before: after } = readCursor('turn', cursor);
    const list = view === 'kept' ? listKept : listSent;
    const { config, rows, nextCursor } = await readAnywhere(async (db) => {
      const { config } = await findOwnConversation(db, c.get('project'), id);
      return { config, ...(await list(db, id, { after })) };
    });
    // If the system prompt is a message, it is the first message.
    const instructions = format === 'openai' && after ? null : (config.instructions ?? null);
    const history = historyAs(format, rows, instructions);
    const hasMore = nextCursor !== null;
    return answerTagged(c, { object: 'list' as const, ...history, has_more: hasMore, next_cursor: nextCursor });
  });
}

async function listKept(db: Db, conversationId: string, { after }: { after?: string | undefined }) {
  const { rows, hasMore } = await listHistory(db, conversationId, { ...(after && { after }), limit: TURNS });
  return { rows, nextCursor: hasMore ? (rows.at(-1)?.id ?? null) : null };
}

/** Returns the messages in a format. If the provider's API has a `system` field, `system` is set. */
function historyAs(format: z.output<typeof Format>, turns: Turn[], instructions: string | null): History {
  switch (format) {
    case 'compact':
      return { data: compactHistory(turns) };
    case 'openai':
      return { data: openaiHistory(turns, instructions) };
    case 'anthropic':
      return anthropicHistory(turns, instructions);
    case 'gemini':
      return geminiHistory(turns, instructions);
  }
}
