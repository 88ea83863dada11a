import { SOCKET_BOUNDS } from '#core/bounds/socket-bounds.ts';
import type { RequestRefused } from '#core/failure.ts';
import { errorEnvelope, errorTypes } from '../../../http/errors.ts';

/** An error as a message (contract-responses R73). The connection stays open. */
export type SocketError = {
  stream_id?: string;
  type: 'error';
  status: number;
  error: { type: string; code: string; message: string; param: string | null };
};

/** Returns the message for an HTTP answer with this status and body. */
export function socketError(status: number, { error }: Pick<SocketError, 'error'>, streamId = ''): SocketError {
  return { ...(streamId !== '' && { stream_id: streamId }), type: 'error', status, error };
}

/** Returns the message of a refusal. */
export function refusalMessage(refusal: RequestRefused, streamId = ''): SocketError {
  return socketError(refusal.status, errorEnvelope(refusal), streamId);
}

/** Returns the message of an error that the client cannot mend. */
export function internalMessage(streamId = ''): SocketError {
  const message = 'Something went wrong on our side. Send the request again.';
  return ownError(500, { code: 'internal', message, param: null }, streamId);
}

/** Returns the error of a request that comes while the API stops. */
export function serverStopping(streamId: string): SocketError {
  const message = 'This server is stopping. Open another connection, and send the request there.';
  return ownError(503, { code: 'server_stopping', message, param: null }, streamId);
}

/** Returns the error of a connection that is open for an hour. */
export function connectionExpired(streamId = ''): SocketError {
  const message = 'The connection has been open for 60 minutes. Open another connection, and send the request there.';
  return ownError(400, { code: 'websocket_connection_limit_reached', message, param: null }, streamId);
}

/** Returns the error of a binary message. */
export function binaryMessage(): SocketError {
  const message = 'The message is binary. Send JSON as a text message.';
  return ownError(400, { code: 'invalid_json', message, param: null });
}

/** Returns the error of a message with a `stream_id` that is not valid. */
export function invalidStreamId(): SocketError {
  const message = '`stream_id` is not valid. Give 1 to 256 of A-Z, a-z, 0-9, `_`, `-` and `.`, or leave it out.';
  return ownError(400, { code: 'invalid_stream_id', message, param: 'stream_id' });
}

/** Returns the error of a message that names one lane too many. */
export function tooManyLanes(streamId: string): SocketError {
  const { lanes } = SOCKET_BOUNDS;
  const message = `\`stream_id\` is one name too many: the connection has ${lanes}. Use one of them, or open another connection.`;
  return ownError(400, { code: 'websocket_stream_limit_reached', message, param: 'stream_id' }, streamId);
}

/** Returns the error of a message while too many messages of its connection or of the process wait. */
export function tooManyMessages(): SocketError {
  const message = 'Too many messages wait, or too many bytes in them. Wait until a response ends.';
  return ownError(429, { code: 'too_many_messages', message, param: null });
}

/** Returns an error that only a WebSocket has. */
function ownError(
  status: 400 | 429 | 500 | 503,
  error: Omit<SocketError['error'], 'type'>,
  streamId = '',
): SocketError {
  return socketError(status, { error: { type: errorTypes[status], ...error } }, streamId);
}

/** Returns the answer to `response.steer`, which is not supported (contract-responses section 10). */
export function steerFailed(steer: Record<string, unknown>) {
  const { previous_response_id = null, input = null } = steer;
  const message = 'Steering is not supported over a WebSocket. Send POST /v1/turns/:id/input with `mode: steer`.';
  return {
    type: 'response.steer.failed',
    sequence_number: 0,
    steer: { previous_response_id, input },
    error: { type: 'invalid_request_error', code: 'steering_not_supported', message },
  };
}
