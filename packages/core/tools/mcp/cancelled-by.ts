import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';

/** The request that a notification cancels; undefined if it is another message. */
export function cancelledBy(message: JSONRPCMessage | JSONRPCMessage[]): RequestId | undefined {
  if (Array.isArray(message) || !('method' in message)) return undefined;
  const id = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
