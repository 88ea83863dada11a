import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context as HonoContext } from 'hono';
import { RequestRefused } from '#core/failure.ts';
import { isSuperseded, lastNumber, latestDraft } from '#core/turn/responses/events.ts';
import { responseIdOf } from '#core/turn/responses/item-id.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../../context.ts';
import { streamHeaders } from '../../http/response-headers.ts';
import type { ApiEnv } from '../../http/router.ts';
import { cursorBeyondEnd } from '../../stream/cursor-end.ts';
import type { EventStream, Sink } from '../../stream/joined-stream.ts';
import { streamToResponse } from '../../stream/response-stream.ts';
import type { TurnWatch, WatchContext } from '../../stream/turn-watch.ts';
import { EVENT_STREAM_HEADERS } from './stream/event-frame.ts';
import { followResponse } from './stream/follow-response.ts';

type Context = Pick<ApiContext, 'streamHub' | 'streamLimiter' | 'stateSeals'>;

/** The start of a stream: the first event, or the event after a sequence number. */
type StreamPlace = { turn: Turn; after: number | null };

/** Streams a response to its end. The caller may see it. Throws a refusal before the first byte. */
export function streamResponse(c: HonoContext<ApiEnv>, context: Context, { turn, after }: StreamPlace): Response {
  const sent = after ?? -1;
  if (isSuperseded(turn, sent)) throw superseded();
  const last = lastNumber(turn);
  const id = responseIdOf(turn.id);
  if (last !== null && sent > last) throw cursorBeyondEnd({ param: 'starting_after', given: sent, last, id });
  const start = { after: sent, current: latestDraft(turn), stateSeals: context.stateSeals };
  return streamTurn(c, context, turn, (watch, parts, sink) => followResponse(watch, parts, { ...start, sink }));
}

type Follow = (watch: TurnWatch, parts: WatchContext, sink: Sink) => EventStream;

/** Streams a turn with `follow`. Headers that are set on the context are sent with the stream. */
export function streamTurn(
  c: HonoContext<ApiEnv>,
  { streamHub, streamLimiter }: Omit<Context, 'stateSeals'>,
  { id: turnId }: Turn,
  follow: Follow,
): Response {
  const headers = { ...Object.fromEntries(c.res.headers), ...streamHeaders(c), ...EVENT_STREAM_HEADERS };
  // The body of a HEAD request is dropped: no client would ever read or cancel the stream.
  if (c.req.method === 'HEAD') return c.body(null, 200, headers);
  const project = c.get('project');
  streamToResponse(c.env.outgoing, {
    ...{ headers, pending: streamHub.pending, project, turnId },
    open: (sink) => streamHub.join(turnId, sink, (watch, parts) => follow(watch, parts, sink)),
    closed: streamLimiter.acquire({ project, keyId: c.get('keyId') }),
  });
  return RESPONSE_ALREADY_SENT;
}

function superseded(): RequestRefused {
  const message =
    'The model restarted this reply, so the events that you have are superseded. Discard them, and request the stream again without `starting_after`.';
  return new RequestRefused(400, 'stream_superseded', message, 'starting_after');
}
