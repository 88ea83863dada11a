import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { presentEvent } from '#core/turn/present-event.ts';
import { isTerminal } from '#core/turn/turn.ts';
import type { ApiEnv } from '../api-env.ts';
import type { ApiContext } from '../context.ts';
import { findOwnTurn } from '../find-own.ts';
import { json, makeRouter } from '../make-router.ts';
import { Event } from '../schemas/event.ts';
import { listOf } from '../schemas/list-of.ts';
import { refusals } from '../schemas/refusals.ts';
import { readEvents } from '../watch/read-events.ts';

const LARGEST_NUMBER = 2 ** 31 - 1;
const WRONG_NUMBER = `give the sequence number of an event, a whole number from 0 to ${LARGEST_NUMBER}`;

const EventNumber = z
  .string()
  .regex(/^\d+$/, WRONG_NUMBER)
  .transform(Number)
  .pipe(z.number().max(LARGEST_NUMBER, WRONG_NUMBER));

const read = createRoute({
  method: 'get',
  path: '/v1/turns/{id}/events',
  summary: 'Read the events of a turn; with `Accept: text/event-stream`, follow them as they happen',
  request: {
    params: z.object({ id: z.string() }),
    query: z.object({ after: EventNumber.optional(), limit: z.coerce.number().int().min(1).max(1000).default(100) }),
    headers: z.object({ 'last-event-id': EventNumber.optional() }),
  },
  responses: {
    200: {
      description: 'The durable events after `after`, or a stream of them with live events in between',
      content: { ...json(listOf(Event)), 'text/event-stream': { schema: z.string() } },
    },
    204: { description: 'Stream only: the turn has ended and nothing comes after that event' },
    ...refusals,
  },
});

/** `GET /v1/turns/:id/events`: what happened to a turn, as a list or as a stream. */
export function turnEventRoutes(context: Pick<ApiContext, 'db' | 'watch'>) {
  return makeRouter().openapi(read, readOrFollow(context));
}

function readOrFollow({ db, watch }: Pick<ApiContext, 'db' | 'watch'>): RouteHandler<typeof read, ApiEnv> {
  return async (c) => {
    const turn = await findOwnTurn(db, c.get('project'), c.req.valid('param').id);
    const { after: asked, limit } = c.req.valid('query');
    const after = c.req.valid('header')['last-event-id'] ?? asked ?? 0;
    if (c.req.header('accept')?.includes('text/event-stream')) {
      if (isTerminal(turn.status) && after >= turn.lastEvent) return c.body(null, 204);
      // The body of a HEAD request is dropped: nobody would ever take or cancel the stream.
      if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS);
      return c.body(watch.stream(turn.id, after), 200, STREAM_HEADERS);
    }
    const events = await readEvents(db, turn, { after, limit });
    const last = events.at(-1)?.number ?? after;
    const hasMore = last < turn.lastEvent;
    const data = events.map((event) => presentEvent(turn, event));
    return c.json(
      { object: 'list' as const, data, has_more: hasMore, next_cursor: hasMore ? String(last) : null },
      200,
    );
  };
}

const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };
