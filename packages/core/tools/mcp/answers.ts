import type { JSONRPCMessage, JSONRPCResponse, RequestId } from '@modelcontextprotocol/client';
import { MCP_BOUNDS } from '../../bounds/mcp-bounds.ts';
import { startRate } from '../../bounds/rate.ts';

/** Sends answers to requests of the server within `MCP_BOUNDS`, and omits further answers. */
export function boundAnswers(): { send(answer: () => Promise<void>): Promise<void> } {
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

/** Returns whether a message answers a request, from either side. */
export function isAnswer(message: JSONRPCMessage | JSONRPCMessage[]): message is JSONRPCResponse {
  return !Array.isArray(message) && 'id' in message && !('method' in message);
}

/** Returns the request that a notification cancels, or undefined for any other message. */
export function cancelledBy(message: JSONRPCMessage | JSONRPCMessage[]): RequestId | undefined {
  if (Array.isArray(message) || !('method' in message)) return undefined;
  const id = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
