import type { JSONRPCMessage, RequestId, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { MCP_BOUNDS } from '../../bounds/mcp-bounds.ts';
import { startRate } from '../../bounds/rate.ts';
import { inExchange } from './fetch.ts';

/** Answers a request that lost its stream before the answer came. */
export const CUT = { code: -32_099, message: 'the connection ended before the answer did' };

/** Answers a request that got more than is read of one answer. */
export const TOO_LARGE = { code: -32_098, message: 'the answer is too large' };

const NOTIFICATION_TIMEOUT_MS = 10_000;

type Send = StreamableHTTPClientTransport['send'];
type Message = Parameters<Send>[0];
type JsonRpcRequest = Extract<JSONRPCMessage, { method: string; id: RequestId }>;

/**
 * Replaces `send` of the SDK's transport, before it is connected, for problems that the SDK (2.4.0) does not solve.
 * - Why: it keeps a request pending after its stream was cut, and the stream of a cancelled request open. It answers
 *   each request of the server with a POST of its own, without a bound.
 * - Gain: such a request is answered at once with `CUT` or `TOO_LARGE`, not at its timeout. No server can keep the
 *   connection of a cancelled call, or fill the process with answers.
 * - Ends when the SDK fails a request at the end of its stream, closes the stream of an aborted request, and bounds its
 *   answers.
 */
export function patchTransport(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport);
  const pending = new Map<RequestId, AbortController>();
  const answers = boundAnswers();

  transport.onmessage = (message) => {
    if ('id' in message && message.id !== undefined && !('method' in message)) pending.delete(message.id);
  };
  transport.send = (message, options = {}) => {
    if (isRequest(message)) return request(message, options);
    return isAnswer(message) ? answers.send(() => notify(message, options)) : notify(message, options);
  };

  async function request(message: JsonRpcRequest, options: Parameters<Send>[1]): Promise<void> {
    const { id } = message;
    const stop = new AbortController();
    const given = options?.requestSignal;
    const requestSignal = given ? AbortSignal.any([given, stop.signal]) : stop.signal;
    const answer = (error: typeof CUT) => pending.has(id) && transport.onmessage?.({ jsonrpc: '2.0', id, error });
    const refuse = () => {
      answer(TOO_LARGE);
      stop.abort();
    };
    pending.set(id, stop);
    requestSignal.addEventListener('abort', () => pending.delete(id), { once: true });
    try {
      const patched = { onRequestStreamEnd: () => answer(CUT), ...options, requestSignal };
      await inExchange({ isCall: message.method === 'tools/call', refuse }, () => send(message, patched));
    } catch (error) {
      pending.delete(id);
      throw error;
    }
  }

  async function notify(message: Message, options: Parameters<Send>[1]): Promise<void> {
    try {
      await send(message, { ...options, requestSignal: AbortSignal.timeout(NOTIFICATION_TIMEOUT_MS) });
    } finally {
      pending.get(cancelledBy(message) ?? '')?.abort();
    }
  }
}

/** Sends answers to requests of the server within `MCP_BOUNDS`, and leaves out those above. */
function boundAnswers(): { send(answer: () => Promise<void>): Promise<void> } {
  const rate = startRate({ burst: MCP_BOUNDS.answerBurst, perSecond: MCP_BOUNDS.answersPerSecond });
  let sending = 0;

  return {
    async send(answer) {
      if (sending >= MCP_BOUNDS.answersAtOnce || !rate.admits()) return;
      sending += 1;
      try {
        await answer();
      } finally {
        sending -= 1;
      }
    },
  };
}

function isAnswer(message: Message): boolean {
  return !Array.isArray(message) && 'id' in message && !('method' in message);
}

function isRequest(message: Message): message is JsonRpcRequest {
  return !Array.isArray(message) && 'method' in message && 'id' in message;
}

function cancelledBy(message: Message): RequestId | undefined {
  if (Array.isArray(message) || !('method' in message)) return undefined;
  const id = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
