import type { JSONRPCMessage, RequestId, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onExcess } from './bound-answers.ts';

/** What a request is answered with whose stream ended before its answer came. */
export const CUT = { code: -32_099, message: 'the connection ended before the answer did' };

/** What a request is answered with whose answer is larger than what is read of one. */
export const TOO_LARGE = { code: -32_098, message: 'the answer is too large' };

const NOTICE_LIMIT_MS = 10_000;

type Send = StreamableHTTPClientTransport['send'];
type Message = Parameters<Send>[0];
type Request = Extract<JSONRPCMessage, { method: string; id: RequestId }>;

/**
 * Sees to what the client leaves open where a server answers in a stream: a request whose stream was cut is answered
 * with `CUT`, one whose answer is too large with `TOO_LARGE`, or they would wait until they time out, and the stream of
 * a cancelled request is ended, or it would stay for as long as the server likes. Call it before the transport is
 * connected.
 */
export function watchStreams(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport);
  const open = new Map<RequestId, AbortController>();

  transport.onmessage = (message) => {
    if ('id' in message && message.id !== undefined && !('method' in message)) open.delete(message.id);
  };
  transport.send = (message, options = {}) => (isRequest(message) ? ask(message, options) : tell(message, options));

  async function ask(message: Request, options: Parameters<Send>[1]): Promise<void> {
    const { id } = message;
    const stop = new AbortController();
    const { requestSignal: theirs } = options ?? {};
    const requestSignal = theirs ? AbortSignal.any([theirs, stop.signal]) : stop.signal;
    const answer = (error: typeof CUT) => open.has(id) && transport.onmessage?.({ jsonrpc: '2.0', id, error });
    const refuse = () => {
      answer(TOO_LARGE);
      stop.abort();
    };
    open.set(id, stop);
    requestSignal.addEventListener('abort', () => open.delete(id), { once: true });
    try {
      const asked = { onRequestStreamEnd: () => answer(CUT), ...options, requestSignal };
      await onExcess.run(refuse, () => send(message, asked));
    } catch (error) {
      open.delete(id);
      throw error;
    }
  }

  async function tell(message: Message, options: Parameters<Send>[1]): Promise<void> {
    try {
      await send(message, { ...options, requestSignal: AbortSignal.timeout(NOTICE_LIMIT_MS) });
    } finally {
      open.get(cancelledBy(message) ?? '')?.abort();
    }
  }
}

function isRequest(message: Message): message is Request {
  return !Array.isArray(message) && 'method' in message && 'id' in message;
}

function cancelledBy(message: Message): RequestId | undefined {
  if (Array.isArray(message) || !('method' in message)) return undefined;
  const id = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
