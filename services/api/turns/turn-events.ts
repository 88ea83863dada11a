import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type RouteHandler, z } from '@hono/zod-openapi';
import type { Context as HonoContext } from 'hono';
import { readEventPage } from '#core/checkpoint/turns/reading/event-page.ts';
import { findTurnState } from '#core/checkpoint/turns/reading/find.ts';
import { isId } from '#core/id.ts';
import { presentEvent } from '#core/turn/resource/event.ts';
import { isTerminal, type Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../context.ts';
import { turnNotFound } from '../http/find-own.ts';
import { type ApiEnv, json, makeRouter, routesOf } from '../http/router.ts';
import { TurnId } from '../schemas/fields/id.ts';
import { LARGEST_EVENT_NUMBER, queryInteger } from '../schemas/fields/query-number.ts';
import { listOf } from '../schemas/page.ts';
import { cursorBeyondEnd } from '../stream/cursor-end.ts';
import type { StreamFormat } from '../stream/format.ts';
import { nativeFormat } from '../stream/format.ts';
import { streamToResponse } from '../stream/response-stream.ts';
import { Event, StreamedEvent } from './schemas/event.ts';

const EventNumber = queryInteger({ min: 0, max: LARGEST_EVENT_NUMBER }).optional();

/** Browsers may send the header without a value, before they have received any event. */
const LastEventId = z
  .union([z.literal('').transform(() => undefined), EventNumber])
  .meta({ type: 'integer', minimum: 0, maximum: LARGEST_EVENT_NUMBER });

const route = routesOf('Events');

const read = route('get', '/v1/turns/{id}/events', 'readEvents', {
  summary: 'Read the events of a turn, or follow them live',
  description:
    'With `Accept: text/event-stream` the answer is a stream: `event` is the type, `data` the event ' +
    'as JSON on one line. Durable events also have an `id`, their sequence number. A stream may ' +
    'begin before, during or after the turn. It sends each durable event exactly once and ends with ' +
    'the turn. Pawl sends a comment every 10 s.',
  request: {
    params: z.object({ id: TurnId }),
    query: z.object({
      after: EventNumber.describe('Only events with a higher sequence number.'),
      cursor: EventNumber.describe('An alias of `after`: the `next_cursor` of the page before.'),
      limit: queryInteger({ min: 1, max: 1000 })
        .default(100)
        .describe('The maximum number of events on a page. Not for streams.'),
    }),
    headers: z.object({
      'Last-Event-ID': LastEventId.describe(
        'An alias of `after` that browsers send. If it is not empty, it overrides `after`.',
      ),
    }),
  },
  answers: {
    200: {
      description: 'The durable events. As a stream: durable and live events.',
      content: { ...json(listOf(Event)), 'text/event-stream': { schema: StreamedEvent } },
    },
    204: { description: 'Stream only: the turn has ended, and no event follows.' },
  },
  refusals: ['turn_not_found', 'invalid_value', 'cursor_beyond_end', 'too_many_streams'],
});

type Context = Pick<ApiContext, 'db' | 'readAnywhere' | 'streamHub' | 'streamLimiter'>;

/** Serves `GET /v1/turns/:id/events`: the events of a turn as a list, or as a stream in a format. */
export function turnEventRoutes(context: Context, format: StreamFormat = nativeFormat) {
  return makeRouter().openapi(read, readOrFollow(context, format));
}

function readOrFollow(context: Context, format: StreamFormat): RouteHandler<typeof read, ApiEnv> {
  return async (c) => {
    const { id } = c.req.valid('param');
    const { after: requested, cursor, limit } = c.req.valid('query');
    const resumed = format.resumeAfter({ header: (name) => c.req.header(name), query: (name) => c.req.query(name) });
    const after = resumed ?? requested ?? cursor ?? 0;
    const checkEnd = ({ lastEvent: last }: { lastEvent: number }) => {
      const param = after === requested ? 'after' : after === cursor ? 'cursor' : 'Last-Event-ID';
      if (after > last) throw cursorBeyondEnd({ param, given: after, last, id });
    };
    const project = c.get('project');
    if (c.req.header('accept')?.toLowerCase().includes('text/event-stream')) {
      const turn = (isId('turn', id) && (await findTurnState(context.db, project, id))) || undefined;
      if (!turn) throw turnNotFound();
      checkEnd(turn);
      return follow(c, context, { turn, after, format });
    }
    const { turn, events } = await context.readAnywhere(async (db) => {
      const page = isId('turn', id) ? await readEventPage(db, id, { scope: { project }, after, limit }) : undefined;
      if (!page) throw turnNotFound();
      checkEnd(page.turn);
      return page;
    });
    const data = fitting(events, (event) => presentEvent(turn, event));
    const last = events[data.length - 1]?.number ?? after;
    const hasMore = last < turn.lastEvent;
    return c.json(
      { object: 'list' as const, data, has_more: hasMore, next_cursor: hasMore ? String(last) : null },
      200,
    );
  };
}

type Position = { turn: Pick<Turn, 'id' | 'status' | 'lastEvent'>; after: number; format: StreamFormat };

function follow(c: HonoContext<ApiEnv>, { streamHub, streamLimiter }: Context, { turn, after, format }: Position) {
  const isEnded = isTerminal(turn.status);
  if (isEnded && after >= turn.lastEvent && format.end === '') return c.body(null, 204);
  // The body of a HEAD request is dropped: no client would ever read or cancel the stream.
  if (c.req.method === 'HEAD') return c.body(null, 200, format.headers);
  const project = c.get('project');
  const release = streamLimiter.acquire({ project, keyId: c.get('keyId') });
  streamToResponse(c.env.outgoing, {
    headers: format.headers,
    ...{ pending: streamHub.pending, project, turnId: turn.id },
    open: (sink) => streamHub.follow(turn.id, { after, isEnded, format, sink }),
    closed: release,
  });
  return RESPONSE_ALREADY_SENT;
}

/** The maximum characters of a page's events, unless its first event alone has more. */
const PAGE_CHARACTERS = 4 * 1024 * 1024;

/**
 * Returns the first events that fit on a page. An event that ends a turn contains the whole turn, and a turn may fail
 * and resume often.
 */
function fitting<Stored, Item>(events: Stored[], present: (event: Stored) => Item): Item[] {
  const items: Item[] = [];
  let characters = 0;
  for (const event of events) {
    const item = present(event);
    characters += JSON.stringify(item).length;
    if (items.length > 0 && characters > PAGE_CHARACTERS) break;
    items.push(item);
  }
  return items;
}
