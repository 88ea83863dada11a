import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { PAGE_BYTES } from '#core/checkpoint/sql/page.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { listHistory, loadHistory } from '#core/checkpoint/turns/reading/history.ts';
import { sentHistory, withoutHidden } from '#core/turn/compaction/sent-history.ts';
import { anthropicHistory } from '#core/turn/history/anthropic.ts';
import { compactHistory } from '#core/turn/history/compact.ts';
import { geminiHistory } from '#core/turn/history/gemini.ts';
import { openaiHistory } from '#core/turn/history/openai.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../context.ts';
import { findOwnConversation } from '../find-own.ts';
import { answerTagged } from '../http/answer-tagged.ts';
import { type ApiEnv, json, makeRouter } from '../http/router.ts';
import { refusals } from '../schemas/errors/refusals.ts';
import { entityTagHeader, ifNoneMatch, notModified } from '../schemas/fields/headers.ts';
import { ConversationId } from '../schemas/fields/id.ts';
import { MessageList } from '../schemas/message-list.ts';
import { PageQuery, readCursor } from '../schemas/page.ts';

const Format = z
  .enum(['compact', 'openai', 'anthropic', 'gemini'])
  .default('compact')
  .describe('As they are kept, an answer with its rounds; or expanded, in the words of a wire.');
const View = z
  .enum(['kept', 'sent'])
  .default('kept')
  .describe('All that is kept; or what a model is sent of it now, with a summary where the history was compacted.');
/** Turns of a page at most; the sizes of so many are added up, whether they fit or not. */
const TURNS = 100;

type History = { data: Record<string, unknown>[]; system?: string | null };

const read = createRoute({
  method: 'get',
  path: '/v1/conversations/{id}/messages',
  operationId: 'readMessages',
  tags: ['Conversations'],
  summary: 'Read the messages of a conversation',
  description:
    'All of it, but for a conversation of more than 100 turns or some megabytes, which comes in pages of whole turns.',
  parameters: [ifNoneMatch],
  request: {
    params: z.object({ id: ConversationId }),
    query: PageQuery.pick({ cursor: true }).extend({ format: Format, view: View }),
  },
  responses: {
    200: { description: 'Messages, oldest first.', headers: z.object(entityTagHeader), content: json(MessageList) },
    ...notModified,
    ...refusals('conversation_not_found', 'invalid_value'),
  },
});

/** `GET /v1/conversations/:id/messages`. */
export function messageRoutes({ readAnywhere }: ApiContext) {
  const handler: RouteHandler<typeof read, ApiEnv> = async (c) => {
    const { id } = c.req.valid('param');
    const { format, view, cursor } = c.req.valid('query');
    const { before: after } = readCursor('turn', cursor);
    const list = view === 'kept' ? listHistory : listSent;
    const {
      config,
      rows: turns,
      hasMore,
    } = await readAnywhere(async (db) => {
      const { config } = await findOwnConversation(db, c.get('project'), id);
      return { config, ...(await list(db, id, { ...(after && { after }), limit: TURNS })) };
    });
    // Where the system prompt is a message, it is the first of all.
    const instructions = format === 'openai' && after ? null : (config.instructions ?? null);
    const nextCursor = hasMore ? (turns.at(-1)?.id ?? null) : null;
    const history = historyAs(format, turns, instructions);
    return answerTagged(c, { object: 'list' as const, ...history, has_more: hasMore, next_cursor: nextCursor });
  };
  return makeRouter().openapi(read, handler);
}

/** A page of the history as the next model is sent it. It takes all turns to know which of them a summary stands for. */
async function listSent(db: Db, conversationId: string, { after, limit }: { after?: string; limit: number }) {
  const line = await loadHistory(db, conversationId);
  const positionOfAfter = line.find(({ id }) => id === after)?.position ?? 0;
  const rest = sentHistory(line.map(withoutHidden)).filter(({ position }) => position > positionOfAfter);
  const rows = rest.slice(0, limit).filter(fitsPage());
  return { rows, hasMore: rest.length > rows.length };
}

/** Whether a turn fits a page behind those before it: the first always does, and none behind one that does not. */
function fitsPage(): (turn: Turn) => boolean {
  let bytes = 0;
  return (turn) => {
    const isFirst = bytes === 0;
    bytes += JSON.stringify([turn.input, turn.rounds, turn.output]).length;
    return isFirst || bytes <= PAGE_BYTES;
  };
}

/** The messages in one format; `system` is a field of its own where the provider's API has it so. */
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
