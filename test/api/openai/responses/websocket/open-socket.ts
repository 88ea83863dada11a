import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import type { ResponseBase } from '#services/api/http/response-base.ts';

/** A message of the server. Tests name the fields that they expect. */
export type Message = { type: string; stream_id?: string; sequence_number?: number } & Record<string, unknown>;

/** The answer to an upgrade that the server refused. */
export type RefusedUpgrade = { status: number; headers: IncomingHttpHeaders; body: { error: Record<string, unknown> } };

type Options = { base?: ResponseBase; key?: string; headers?: Record<string, string>; path?: string };
type Api = { url: string };

/** A connection in WebSocket mode, with every message that the server has sent on it. */
export type Socket = Awaited<ReturnType<typeof openSocket>>;

/** Opens a WebSocket to the responses of an API. Throws `UpgradeRefused` if the API answers with HTTP instead. */
export async function openSocket(api: Api, options: Options = {}) {
  const socket = connect(api, options);
  const seen: Message[] = [];
  const waiting = new Set<() => void>();
  const sent = new Map<string | undefined, number>();
  const asides = new Set<Message>();
  let expectedAsides = 0;
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  let isClosed = false;
  const notify = () => {
    for (const look of waiting) look();
  };
  socket.on('message', (data, isBinary) => {
    const message: Message = isBinary ? { type: 'binary' } : JSON.parse(String(data));
    seen.push(message);
    if (message.type === 'error' && expectedAsides > asides.size) asides.add(message);
    notify();
  });
  socket.on('error', () => {});
  socket.on('close', (code, reason) => {
    isClosed = true;
    closed.resolve({ code, reason: String(reason) });
    notify();
  });
  await opened(socket);

  /** Waits until a function of the messages returns a value. Fails if the connection is closed before. */
  const until = <Found>(look: (seen: Message[]) => Found | undefined | false) => {
    const { promise, resolve, reject } = Promise.withResolvers<Found>();
    // A test that closes the connection need not wait for its pending calls.
    promise.catch(() => {});
    const again = () => {
      const found = look(seen);
      if (found !== undefined && found !== false) resolve(found);
      else if (isClosed) reject(new Error(`The connection was closed after ${seen.map(({ type }) => type).join()}.`));
      else return;
      waiting.delete(again);
    };
    waiting.add(again);
    again();
    return promise;
  };
  const send = (message: unknown) =>
    socket.send(typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message));

  /** Sends a create request. `answered` resolves with its messages, including its last event. */
  function create(fields: object) {
    const message = { type: 'response.create', model: 'test', ...fields } as { stream_id?: string };
    const lane = message.stream_id;
    const index = sent.get(lane) ?? 0;
    sent.set(lane, index + 1);
    send(message);
    return {
      answered: until(
        (all) =>
          answersOf(
            all.filter((one) => !asides.has(one)),
            lane,
          )[index],
      ),
    };
  }
  return {
    ...{ seen, send, until, create, closed: closed.promise, socket },
    /** Sends a create request and returns its messages, including its last event. */
    ask: (fields: object) => create(fields).answered,
    /** Sends a message that is refused at once, and returns the error, which `create` does not count as an answer. */
    refused: async (message: unknown) => {
      const index = expectedAsides;
      expectedAsides += 1;
      send(message);
      return until(() => [...asides][index]);
    },
    close: () => socket.close(),
    [Symbol.asyncDispose]: async () => {
      socket.terminate();
      await closed.promise;
    },
  };
}

/** Returns the HTTP answer to an upgrade. Fails if the server accepts it. */
export async function refusedUpgrade(api: Api, options: Options = {}): Promise<RefusedUpgrade> {
  const refusal = await openSocket(api, options).catch((error: unknown) => error);
  if (refusal instanceof UpgradeRefused) return refusal.answer;
  throw new Error('The upgrade was not refused.', { cause: refusal });
}

/** Returns the response in the last message. Throws if the message has none. */
export function responseOf(messages: Message[]): ResponseShown {
  const response = messages.at(-1)?.response;
  if (!response) throw new Error(`No response in ${JSON.stringify(messages.at(-1))}.`);
  return response as ResponseShown;
}

/** The fields of a response that these tests read. */
export type ResponseShown = { id: string; status: string; output: Item[]; store: boolean } & Record<string, unknown>;
type Item = { id: string; type: string; content?: { text?: string }[] } & Record<string, unknown>;

export function deltasOf(messages: Message[]): string {
  return messages.map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : '')).join('');
}

class UpgradeRefused extends Error {
  answer: RefusedUpgrade;
  constructor(answer: RefusedUpgrade) {
    super(`The upgrade was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    this.answer = answer;
  }
}

function connect({ url }: Api, { base = '/v1', key, headers, path = '/responses' }: Options): WebSocket {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return new WebSocket(`${url.replace('http', 'ws')}${base}${path}`, { headers: { ...authorization, ...headers } });
}

async function opened(socket: WebSocket): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (_, answer: IncomingMessage) => {
      text(answer).then((body) => {
        const { statusCode: status = 0, headers } = answer;
        reject(new UpgradeRefused({ status, headers, body: body ? JSON.parse(body) : null }));
      }, reject);
    });
  });
}

const LAST = ['response.completed', 'response.failed', 'response.incomplete', 'error'];

/** Returns the messages of a lane, grouped by request. Each group ends with a last event. */
function answersOf(seen: Message[], lane: string | undefined): Message[][] {
  const answers: Message[][] = [];
  let answer: Message[] = [];
  for (const message of seen) {
    if (message.stream_id !== lane) continue;
    answer.push(message);
    if (!LAST.includes(message.type)) continue;
    answers.push(answer);
    answer = [];
  }
  return answers;
}
