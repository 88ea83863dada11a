import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { NumberedEvent } from '#core/turn/responses/piece.ts';
import { turnNotFound } from '#services/api/http/find-own.ts';
import { setResponseHeaders } from '#services/api/http/response-headers.ts';
import { streamResponse } from '#services/api/openai/responses/stream-response.ts';
import { openStream } from '../../stream/open-stream.ts';
import { createWatchHarness, type WatchOptions } from '../../stream/watch-harness.ts';
import { stateSeals } from './seals.ts';

/** Starts an API process that streams responses. With `beside`, it shares the database of another harness. */
export async function createStreamHarness(options: WatchOptions = {}) {
  const harness = await createWatchHarness({
    ...options,
    addRoutes: (app, context) => {
      app.use('*', setResponseHeaders);
      app.get('/v1/responses/:id', async (c) => {
        const turn = await loadTurn(context.db, c.req.param('id'));
        if (!turn) throw turnNotFound();
        const after = c.req.query('starting_after');
        return streamResponse(
          c,
          { ...context, stateSeals },
          { turn, after: after === undefined ? null : Number(after) },
        );
      });
    },
  });
  return {
    ...harness,
    stream: async (turnId: string, after?: number | string) => {
      const query = after === undefined ? '' : `?starting_after=${after}`;
      const stream = await openStream(`${harness.url}/v1/responses/${turnId}${query}`, {});
      return {
        ...stream,
        events: () => stream.seen.filter(({ type }) => type !== '[DONE]').map(({ data }) => data as NumberedEvent),
      };
    },
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

export type StreamHarness = Awaited<ReturnType<typeof createStreamHarness>>;
