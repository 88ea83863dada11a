import { isRecord, parseJson } from '../../../json.ts';
import { wordOf } from '../../../text.ts';
import { UNREADABLE } from '../error.ts';
import { tidyMessage, type WaitingRequest } from '../tidy/tidy-message.ts';

type Fields = Record<string, unknown>;

const JSON_TYPE = /^application\/json\b/i;
const STREAM_TYPE = /^text\/event-stream\b/i;

/** Lets the SDK read an answer other than a stream, of any type, by replacing `json`. */
export function tidyAnswer(answer: Response, request: WaitingRequest | undefined): Response {
  const type = answer.headers.get('content-type') ?? '';
  if (!request || !answer.ok || answer.status === 202 || !answer.body || STREAM_TYPE.test(type)) return answer;
  const mayBeCut = JSON_TYPE.test(type) && request.method !== 'server/discover';
  answer.headers.set('content-type', 'application/json');
  const json = async () => readMessages(await answer.text(), request, mayBeCut);
  return Object.defineProperty(answer, 'json', { value: json });
}

/** Statuses of servers that do not support the question. Servers that are down have other statuses. */
const UNKNOWN_QUESTION: ReadonlySet<number> = new Set([403, 500, 501, 502]);

/** Passes an answer on. If a server fails at the question for new servers, it is treated as an old server. */
export function passFailedDiscovery(response: Response, request: WaitingRequest | undefined): Response {
  if (request?.method !== 'server/discover' || !UNKNOWN_QUESTION.has(response.status)) return response;
  void response.body?.cancel().catch(() => {});
  return new Response(null, { status: 404 });
}

/** Reads the tidied messages in a body, or an error if there is no answer. Throws for JSON that `mayBeCut`. */
export function readMessages(text: string, request: WaitingRequest, mayBeCut: boolean): Fields[] {
  const value = parseJson(text);
  const values = value === undefined ? dataOf(text) : [value].flat();
  if (value === undefined && values.length === 0 && mayBeCut && /^\s*(?:[{[]|$)/.test(text))
    throw new SyntaxError('the answer is no whole JSON');
  const messages = values.filter(isRecord).map((message) => tidyMessage(message, finderOf(request)));
  const answer = messages.find((message) => message.id === request.id && message.method === undefined);
  const others = messages.filter(isWellFormed);
  return [...others, answer ?? { jsonrpc: '2.0', id: request.id, error: UNREADABLE }];
}

/** Finds the request of an answer over HTTP. An answer without an id belongs to the sent request. */
export function finderOf(request: WaitingRequest): (id: unknown) => WaitingRequest | undefined {
  return (id) => (id === null || id === undefined || wordOf(id) === String(request.id) ? request : undefined);
}

const MOST_EVENTS = 100;
const DATA = /^data: ?(\{.*\})\r?$/gm;

/** Returns the JSON in the events of a stream that is declared as JSON. */
function dataOf(text: string): unknown[] {
  return [...text.matchAll(DATA).take(MOST_EVENTS)].map(([, json = '']) => parseJson(json));
}

/** Returns whether the SDK reads a request or notification. It drops all messages if it refuses one message. */
function isWellFormed({ jsonrpc, id, method, params, ...rest }: Fields): boolean {
  const isSound = jsonrpc === '2.0' && typeof method === 'string' && Object.keys(rest).length === 0;
  const hasId = id === undefined || typeof id === 'string' || Number.isSafeInteger(id);
  return isSound && hasId && (params === undefined || (isRecord(params) && !('_meta' in params)));
}
