import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { StreamedEvent } from '#client/generated.ts';
import { createServer, listen } from './create-server.ts';

type LiveEvent = Exclude<StreamedEvent, { sequence_number: number }>;
/** A live event of the first attempt of round 1, without its address. */
export type AddedEvent = Distributed<LiveEvent>;
type Distributed<Event> = Event extends LiveEvent ? Omit<Event, 'turn_id' | 'round' | 'attempt'> : never;

/** Opens a proxy of an API that adds live events of round 1 to streams of a turn, after the start of the turn. */
export async function openLiveProxy(api: string, events: AddedEvent[]): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(async (request, response) => {
    const answer = await forward(api, request);
    const type = answer.headers.get('content-type') ?? '';
    response.writeHead(answer.status, { 'content-type': type });
    if (!answer.body) return response.end();
    const body = Readable.fromWeb(answer.body);
    await pipeline(type.startsWith('text/event-stream') ? addEvents(body, events) : body, response).catch(() => {});
  });
  const { origin, ...listening } = await listen(server);
  return { ...listening, url: origin };
}

async function forward(api: string, request: IncomingMessage): Promise<Response> {
  const { method = 'GET', url = '/' } = request;
  const body = ['GET', 'HEAD'].includes(method) ? null : await buffer(request);
  return fetch(new URL(url, api), { method, headers: sentHeaders(request.headers), body });
}

function sentHeaders(headers: IncomingHttpHeaders): Headers {
  const own = ['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding', 'upgrade'];
  return new Headers(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      own.includes(name) || value === undefined ? [] : [[name, String(value)]],
    ),
  );
}

async function* addEvents(stream: Readable, events: AddedEvent[]): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const messages = (rest + chunk).split(/(?<=\n\n)/);
    rest = messages.at(-1)?.endsWith('\n\n') ? '' : (messages.pop() ?? '');
    for (const message of messages) {
      yield message;
      const turnId = /^event: turn\.started$[\s\S]*"turn_id":"(\w+)"/m.exec(message)?.[1];
      if (turnId) yield* [{ type: 'round.started' }, ...events].map((event) => formatEvent(turnId, event));
    }
  }
  yield rest;
}

function formatEvent(turnId: string, event: { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify({ turn_id: turnId, round: 1, attempt: 1, ...event })}\n\n`;
}
