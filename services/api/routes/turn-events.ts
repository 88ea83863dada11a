import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { presentEvent } from '#core/turn/present-event.ts';
import { isTerminal } from '#core/turn/turn.ts';
import type { ApiEnv } from '../api-env.ts';
import type { ApiContext } from '../context.ts';
import { findOwnTurn } from '../find-own.ts';
import { json, makeRouter } from '../make-router.ts';
import { Event } from '../schemas/event.ts';
import { TurnId } from '../schemas/id.ts';
import { listOf } from '../schemas/list-of.ts';
import { LARGEST_EVENT_NUMBER, queryInteger } from '../schemas/query-number.ts';
import { refusals } from '../schemas/refusals.ts';
import { StreamedEvent } from '../schemas/streamed-event.ts';
import { readEvents } from '../watch/read-events.ts';
import { EVENT_HEADERS, writeEvents } from '../watch/write-events.ts';

const EventNumber = queryInteger({ min: 0, max: LARGEST_EVENT_NUMBER }).optional();

/** Browsers may send the header without a value, before they have heard any event. */
const LastEventId = z
  .union([z.literal('').transform(() => undefined), EventNumber])
  .meta({ type: 'integer', minimum: 0, maximum: LARGEST_EVENT_NUMBER });

const read = createRoute({
  method: 'get',
  path: '/v1/turns/{id}/events',
  operationId: 'readEvents',
  tags: ['Events'],
  summary: 'Read the events of a turn, or follow them as they happen',
  description:
    'With `Accept: text/event-stream` it is a stream: `event` is the type, `data` the event as JSON on one line, `id` ' +
    'the sequence number, on durable events only. It may begin before, during or after the turn, misses and repeats ' +
    'no durable event, and ends with the turn. A comment comes every 10 s.',
  request: {
    params: z.object({ id: TurnId }),
    query: z.object({
      after: EventNumber.describe('Only events with a higher sequence number.'),
      cursor: EventNumber.describe('The same as `after`: what `next_cursor` of the page before says.'),
      limit: queryInteger({ min: 1, max: 1000 }).default(100).describe('The size of a page; not for streams.'),
    }),
    headers: z.object({
      'Last-Event-ID': LastEventId.describe('The same as `after`, as browsers send it; it wins where it is not empty.'),
    }),
  },
  responses: {
    200: {
      description: 'The durable events; as a stream with live events in between.',
      content: { ...json(listOf(Event)), 'text/event-stream': { schema: StreamedEvent } },
    },
    204: { description: 'Stream only: the turn has ended, and nothing comes after that event.' },
    ...refusals('turn_not_found', 'invalid_value', 'too_many_streams'),
  },
});

/** `GET /v1/turns/:id/events`: what happened to a turn, as a list or as a stream. */
export function turnEventRoutes(context: Pick<ApiContext, 'db' | 'watch' | 'held'>) {
  return makeRouter().openapi(read, readOrFollow(context));
}

function readOrFollow({
  db,
  watch,
  held,
}: Pick<ApiContext, 'db' | 'watch' | 'held'>): RouteHandler<typeof read, ApiEnv> {
  return async (c) => {
    const turn = await findOwnTurn(db, c.get('project'), c.req.valid('param').id);
    const { after: asked, cursor, limit } = c.req.valid('query');
    const after = c.req.valid('header')['Last-Event-ID'] ?? asked ?? cursor ?? 0;
    if (c.req.header('accept')?.toLowerCase().includes('text/event-stream')) {
      if (isTerminal(turn.status) && after >= turn.lastEvent) return c.body(null, 204);
      // The body of a HEAD request is dropped: nobody would ever take or cancel the stream.
      if (c.req.method === 'HEAD') return c.body(null, 200, EVENT_HEADERS);
      // Whoever has seen more than there is has seen it elsewhere, and still wants to hear how this turn ends.
      const from = Math.min(after, turn.lastEvent);
      const release = held.hold({ project: c.get('project'), keyId: c.get('keyId') });
      writeEvents(c.env.outgoing, (sink) => watch.follow(turn.id, from, sink), release);
      return RESPONSE_ALREADY_SENT;
    }
    const events = await readEvents(db, turn, { after, limit });
    const data = fitting(events, (event) => presentEvent(turn, event));
    const last = events[data.length - 1]?.number ?? after;
    const hasMore = last < turn.lastEvent;
    return c.json(
      { object: 'list' as const, data, has_more: hasMore, next_cursor: hasMore ? String(last) : null },
      200,
    );
  };
}

/** Characters of events that a page has at most, unless its first event alone has more. */
const PAGE_CHARACTERS = 4 * 1024 * 1024;

/** The first events that fit a page; the one that ends a turn holds all of it, and a turn may fail and go on often. */
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
