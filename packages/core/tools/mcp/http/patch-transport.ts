import type { JSONRPCMessage, RequestId, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { boundAnswers, cancelledBy, isAnswer } from '../answers.ts';
import { boundResults } from '../bound-results.ts';
import { slotOfCall } from '../call-once.ts';
import { CUT, readMcpError, tooLarge } from '../error.ts';
import { inExchange } from './fetch.ts';

const NOTIFICATION_TIMEOUT_MS = 10_000;

type Send = StreamableHTTPClientTransport['send'];
type Message = Parameters<Send>[0];
type JsonRpcRequest = Extract<JSONRPCMessage, { method: string; id: RequestId }>;

/**
 * Replaces `send` of the SDK's transport, before it is connected, for problems that the SDK (2.4.0) does not solve.
 * - Why: it keeps a request pending after its stream was cut, and the stream of a cancelled request open. It answers
 *   each request of the server with a POST of its own, without a bound.
 * - Gain: such a request fails at once, not at its timeout. No server can keep the connection of a cancelled call, or
 *   fill the process with answers.
 * - Ends when the SDK fails a request at the end of its stream, closes the stream of an aborted request, and bounds
 *   its answers.
 */
export function patchTransport(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport);
  const pending = new Map<RequestId, { method: string; stop: AbortController }>();
  const answers = boundAnswers();
  const results = boundResults();

  transport.onmessage = (message) => {
    if (!isAnswer(message) || message.id === undefined) return;
    const request = pending.get(message.id);
    results.check(message, request?.method);
    // A server may keep the stream of an answered request open.
    setImmediate(() => request?.stop.abort());
    pending.delete(message.id);
  };
  transport.send = (message, options = {}) => {
    results.noteSent(message);
    if (isRequest(message)) return request(message, options);
    return isAnswer(message) ? answers.send(() => notify(message, options)) : notify(message, options);
  };

  async function request(message: JsonRpcRequest, options: Parameters<Send>[1]): Promise<void> {
    const { id, method } = message;
    const stop = new AbortController();
    const given = options?.requestSignal;
    const requestSignal = given ? AbortSignal.any([given, stop.signal]) : stop.signal;
    const answer = (error: typeof CUT) => pending.has(id) && transport.onmessage?.({ jsonrpc: '2.0', id, error });
    const refuse = (bound: string) => {
      answer(tooLarge(bound));
      stop.abort();
    };
    pending.set(id, { method, stop });
    requestSignal.addEventListener('abort', () => pending.delete(id), { once: true });
    try {
      const patched = { onRequestStreamEnd: () => answer(CUT), ...options, requestSignal };
      const exchange = {
        ...{ isCall: method === 'tools/call', request: { id, method }, slot: slotOfCall() },
        ...{ refuse, cut: () => answer(CUT) },
      };
      await inExchange(exchange, () => send(message, patched));
    } catch (error) {
      pending.delete(id);
      throw error;
    }
  }

  async function notify(message: Message, options: Parameters<Send>[1]): Promise<void> {
    try {
      await send(message, { ...options, requestSignal: AbortSignal.timeout(NOTIFICATION_TIMEOUT_MS) });
    } catch (error) {
      // Some working servers refuse this notification. A broken server refuses the next request, too.
      if (!isInitialized(message) || readMcpError(error).kind !== 'status') throw error;
    } finally {
      pending.get(cancelledBy(message) ?? '')?.stop.abort();
    }
  }
}

function isInitialized(message: Message): boolean {
  return 'method' in message && message.method === 'notifications/initialized';
}

function isRequest(message: Message): message is JsonRpcRequest {
  return !Array.isArray(message) && 'method' in message && 'id' in message;
}
