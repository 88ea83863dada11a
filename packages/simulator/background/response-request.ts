import type { IncomingHttpHeaders } from 'node:http';

/** An act on a kept response. */
type ResponseAct = 'read' | 'stream' | 'cancel' | 'delete';

/** A request about a kept response. `createdBy` is the `x-client-request-id` of its create, or null. */
export type ResponseRequest = {
  kind: ResponseAct;
  id: string;
  createdBy: string | null;
  /** The number after which a stream begins, or null. */
  startingAfter: string | null;
  headers: IncomingHttpHeaders;
};

/** Reads a request about a kept response, or returns null. */
export function readResponseRequest(
  method: string | undefined,
  url: string | undefined,
): Pick<ResponseRequest, 'kind' | 'id' | 'startingAfter'> | null {
  const [path = '', query] = (url ?? '').split('?');
  const [, id, action] = /^\/v1\/responses\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
  const parameters = new URLSearchParams(query);
  const kind = kindOf(`${method}${action ?? ''}`, parameters.get('stream') === 'true');
  return id && kind ? { kind, id, startingAfter: parameters.get('starting_after') } : null;
}

function kindOf(action: string, isStream: boolean): ResponseAct | null {
  switch (action) {
    case 'GET':
      return isStream ? 'stream' : 'read';
    case 'POST/cancel':
      return 'cancel';
    case 'DELETE':
      return 'delete';
    default:
      return null;
  }
}
