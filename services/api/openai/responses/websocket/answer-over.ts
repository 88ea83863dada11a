import type { IncomingMessage } from 'node:http';
import { type SocketError, socketError } from './socket-error.ts';
import type { SocketOutlet } from './socket-outlet.ts';
import type { SocketRequest } from './socket-request.ts';

/** Answers a request of the API, as its routes do. A stream is written to `outgoing`. */
export type AnswerRequest = (
  request: Request,
  env: { incoming: IncomingMessage; outgoing: SocketOutlet; socket: SocketRequest },
) => Response | Promise<Response>;

/** Headers of the opening request that each create request has, too. */
const KEPT_HEADERS = ['authorization', 'user-agent', 'traceparent', 'tracestate', 'pawl-on-disconnect', 'host'];

/** Begins to answer a create request over the outlet. Returns the error of a refused request, which has no stream. */
export async function answerOver(
  outlet: SocketOutlet,
  { answer, opening }: { answer: AnswerRequest; opening: IncomingMessage },
  { streamId, ...socket }: SocketRequest & { streamId: string },
): Promise<SocketError | null> {
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = opening.headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
  const url = `http://localhost${opening.url}`;
  const request = new Request(url, { method: 'POST', headers: [...headers, ['content-type', 'application/json']] });
  const answered = await answer(request, { incoming: opening, outgoing: outlet, socket });
  const refused = answered.status < 400 ? null : ((await answered.json()) as Pick<SocketError, 'error'>);
  // An ended outlet does not cancel the response, a destroyed one does.
  if (refused) outlet.end();
  return refused && socketError(answered.status, refused, streamId);
}
